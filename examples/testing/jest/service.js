/** Calls the API with fetch, as tests in any language can. Throws for an error. */
async function call(method, path, body, token) {
  const response = await fetch(`${process.env.COUNTINGHOUSE_URL}${path}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: body && JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${result.error}, ${result.message}`);
  return result;
}

/** Returns an access token. */
async function logIn(email, password) {
  return (await call('POST', '/v1/auth/login', { email, password })).access_token;
}

const logInAsAdmin = () => logIn('admin@example.com', 'correct horse battery');

module.exports = { call, logIn, logInAsAdmin };
