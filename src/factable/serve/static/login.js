// Turns the token, typed or carried behind the # of a link, into a session.
import { ask } from "./client.js";
import { byId } from "./dom.js";

async function logIn(token) {
  try {
    await ask("/session", { body: {}, headers: { Authorization: `Bearer ${token}` } });
    location.replace("/");
  } catch (error) {
    byId("problem").textContent = error.message;
    byId("token").select();
  }
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(byId("token").value.trim());
});
const carried = location.hash.slice(1);
if (carried) {
  // Not left in the history.
  history.replaceState(null, "", location.pathname);
  logIn(carried);
} else byId("token").focus();
