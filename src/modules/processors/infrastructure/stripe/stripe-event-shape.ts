/** Stripe's ids, codes and metadata are shorter. */
const MAX_CHARACTERS = 500;

/** Stripe's amounts have at most 12 digits. */
const MAX_AMOUNT = 1e12;

type Members = Readonly<Record<string, unknown>>;

/** Whether a signed body is an event with an object. The type of the event may be unknown. */
export function isEvent(event: unknown): boolean {
  return (
    isObject(event) && isText(event['id']) && isObject(event['data']) && isObject(event['data']['object'])
  );
}

/** Whether the members of a checkout session that this service uses have the types that Stripe documents. */
export function isSession(session: unknown): boolean {
  if (!isObject(session) || !isText(session['id']) || !isMetadata(session['metadata'])) return false;
  const { currency, amount_total: amount, payment_intent: payment, payment_status: status } = session;
  const reference = isObject(payment) ? payment['id'] : payment;
  const received = isText(currency) && isAmount(amount) && isText(reference);
  return status === 'paid' ? received : isAbsentOr(isText, reference);
}

/** Whether the members of a refund that this service uses have the types that Stripe documents. */
export function isRefund(refund: unknown): boolean {
  return (
    isObject(refund) &&
    isText(refund['id']) &&
    isMetadata(refund['metadata']) &&
    isAbsentOr(isText, refund['status']) &&
    isAbsentOr(isText, refund['failure_reason'])
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** PostgreSQL cannot store NUL. */
function isText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_CHARACTERS &&
    !value.includes('\0') &&
    value.isWellFormed()
  );
}

function isMetadata(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

function isAmount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_AMOUNT;
}

function isAbsentOr(isValid: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || isValid(value);
}
