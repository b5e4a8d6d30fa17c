// Requests to the server; errors are thrown with the server's own words.

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

// The JSON of a response; `body` is sent as JSON, by POST unless another method is given.
export async function ask(path, { body, method, signal, headers } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method: method || (body === undefined ? "GET" : "POST"),
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("the server cannot be reached; is it still running?", 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ServerError(answer.error || `the server answered ${response.status}`, response.status);
  return answer;
}
