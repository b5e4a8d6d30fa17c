// Runs before anything is painted, so that a remembered choice of light or dark never flashes.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; the page then follows the system.
}
