// The tour of `npm run demo`: an individual and a business, from their sign-up to the closing of an account.
import { Countinghouse } from 'countinghouse-client';
import { backOffice } from './tour/back-office.js';
import { closing } from './tour/closing.js';
import { paymentRequests } from './tour/payment-requests.js';
import { sessions } from './tour/sessions.js';
import { signUps } from './tour/sign-ups.js';
import type { Stage } from './tour/stage.js';
import { subscriptions } from './tour/subscriptions.js';
import { transactions } from './tour/transactions.js';

export async function tour(stage: Stage): Promise<void> {
  const { baseUrl } = stage;
  const { ada, grace, bob } = await signUps(stage);
  await transactions(stage, ada, grace);
  const pendingId = await paymentRequests(stage, grace, bob);
  await subscriptions(stage, grace);
  await sessions(stage, ada);
  const admin =
    stage.admin &&
    new Countinghouse({ baseUrl, credentials: { login: stage.admin }, fetch: stage.fetchOf('Admin') });
  if (admin) await backOffice(stage, admin, grace, bob);
  else
    stage.say('(Skipping the back office: set ADMIN_EMAIL and ADMIN_PASSWORD of an admin of this service.)');
  await closing(stage, grace, bob, pendingId, admin);
}
