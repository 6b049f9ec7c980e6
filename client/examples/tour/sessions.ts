import { Countinghouse, type Tokens } from 'countinghouse-client';
import { expect, type Person, refused, type Stage } from './stage.js';

export async function sessions(stage: Stage, { client, login }: Person): Promise<void> {
  const { baseUrl } = stage;
  const fetch = stage.fetchOf("Ada's laptop");

  stage.chapter('Sessions');
  stage.say('A second login is a second session.');
  const first = await new Countinghouse({ baseUrl, fetch }).post('/v1/auth/login', { body: login });

  stage.say(
    'A client can also continue with stored tokens. When the access token has expired, it exchanges the refresh token for new ones and sends the request again.',
  );
  const stored: Tokens[] = [];
  const laptop = new Countinghouse({
    baseUrl,
    credentials: {
      tokens: { access_token: 'expired', refresh_token: first.refresh_token },
      onTokens: (tokens) => stored.push(tokens),
    },
    fetch,
  });
  await laptop.get('/v1/account');
  expect({ renewals: stored.length }, { renewals: 1 });

  stage.say('List your active sessions. One of them can end another.');
  const { data } = await client.get('/v1/auth/sessions');
  expect({ sessions: data.length }, { sessions: 2 });
  const session_id = data.find(({ current }) => !current)?.session_id;
  expect(await client.delete('/v1/auth/session', { body: { session_id } }), { session_id });

  stage.say('Its tokens stop working at once.');
  await refused(laptop.get('/v1/account'), 'unauthorized');

  stage.say('Without a body the current session ends. A client with a login then logs in again.');
  await client.delete('/v1/auth/session');
  expect(await client.get('/v1/account'), { email: login.email });
}
