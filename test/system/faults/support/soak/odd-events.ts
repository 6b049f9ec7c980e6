import { StripeDouble } from '../../../../support/stripe-double';

const TYPES = ['checkout.session.completed', 'checkout.session.expired', 'refund.updated', 'unknown.type'];
const NEAR_THE_LIMIT = 90_000;
const BEYOND_THE_LIMIT = 150_000;

/** Events that Stripe would not send. */
export function oddEvents(stripe: StripeDouble): string[] {
  const values = [null, 7, -1, 1e300, '', '\0', '\ud800', 'x'.repeat(NEAR_THE_LIMIT), [], {}, true];
  const session = { id: 'cs_test_1', object: 'checkout.session', status: 'complete', metadata: {} };
  const events = TYPES.flatMap((type) =>
    values.flatMap((value) => [
      stripe.event(type, { ...session, metadata: value }),
      stripe.event(type, session, { data: value }),
      stripe.event(type, session, { id: value }),
    ]),
  );
  const large = stripe.event(TYPES[0]!, { ...session, id: 'x'.repeat(BEYOND_THE_LIMIT) });
  const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
  return [...events, large, deep, '7', 'null', '[]', '{}', '""', '{'];
}
