import { randomBytes } from 'node:crypto';
import { createServer, IncomingMessage, Server, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { TestClock } from './clock';

export const STRIPE_KEY = 'sk_test_of_nobody';
export const WEBHOOK_SECRET = 'whsec_signs_events_in_tests';

type Session = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_total'
  | 'currency'
  | 'client_reference_id'
  | 'customer_email'
  | 'expires_at'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_status'
  | 'status'
  | 'success_url'
  | 'cancel_url'
  | 'url'
> & { payment_intent: string | null };
type Payment = Pick<
  Stripe.PaymentIntent,
  'id' | 'object' | 'amount' | 'currency' | 'status' | 'amount_received'
> & { last_payment_error?: { readonly code: string; readonly decline_code?: string } };
type Refund = Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'currency' | 'status' | 'metadata' | 'payment_intent' | 'failure_reason'
>;
type Failure = { readonly error: Pick<Stripe.StripeRawError, 'type' | 'code' | 'message'> };

/** A fault of the double: the response to send instead, or no response although the call is executed. */
export type Fault = 'lost' | 500 | { readonly status: 400 | 402 | 403; readonly code: string };

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: URLSearchParams;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
}

interface Result {
  readonly status: number;
  readonly body: object;
}

class StripeError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly type = 'invalid_request_error',
  ) {
    super(code);
  }
}

/**
 * The part of Stripe that the service uses: Checkout sessions, refunds and signed events. The objects have the types of
 * the official package. The double applies Stripe's rules for idempotency keys and amounts, and simulates failures.
 */
export class StripeDouble {
  readonly calls: Call[] = [];
  readonly sessions = new Map<string, Session>();
  readonly payments = new Map<string, Payment>();
  readonly refunds = new Map<string, Refund>();
  /** The status of new refunds. */
  newRefundStatus: 'pending' | 'succeeded' | 'failed' = 'succeeded';
  /** Each page of refunds ends with another payment's, and says that there are more. */
  hasEndlessRefunds = false;
  /** Runs before a call is executed, to delay it. */
  before: (call: Call) => Promise<void> = async () => undefined;
  private readonly responses = new Map<string, { request: string; result: Result | null }>();
  private readonly faults: { path: RegExp; fault: Fault; left: number }[] = [];
  private readonly server: Server;
  private readonly stripe = new Stripe(STRIPE_KEY);

  /** The clock of the events and sessions. */
  clock: Pick<TestClock, 'now'> = new TestClock();

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  static async start(): Promise<StripeDouble> {
    const double = new StripeDouble();
    await new Promise<void>((resolve) => double.server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The settings of a service that uses this double. */
  get env(): Record<string, string> {
    return {
      PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: this.url,
      STRIPE_CHECKOUT_URL: this.url,
    };
  }

  /** Makes the next calls whose method and path match fail. */
  fail(path: RegExp, fault: Fault, times = 1): void {
    this.faults.push({ path, fault, left: times });
  }

  clearFaults(): void {
    this.faults.length = 0;
  }

  /** A day goes by: Stripe remembers no key any more. */
  deleteIdempotencyKeys(): void {
    this.responses.clear();
  }

  /** Counts the calls whose method and path match. */
  count(path: RegExp): number {
    return this.calls.filter((call) => path.test(`${call.method} ${call.path}`)).length;
  }

  sessionsOf(paymentRequestId: string): Session[] {
    return [...this.sessions.values()].filter((one) => one.client_reference_id === paymentRequestId);
  }

  /** Completes a session with a payment that succeeds immediately. */
  pay(session: Session): Session {
    return this.complete(session, 'paid', 'succeeded');
  }

  /** Completes a session with a payment method that takes days. */
  payLater(session: Session): Session {
    return this.complete(session, 'unpaid', 'processing');
  }

  /** Ends a payment that takes days. */
  endPayment(session: Session, arrived: boolean, declineCode?: string): Session {
    const payment = this.payments.get(session.payment_intent!)!;
    payment.status = arrived ? 'succeeded' : 'requires_payment_method';
    payment.amount_received = arrived ? payment.amount : 0;
    if (arrived) session.payment_status = 'paid';
    else
      payment.last_payment_error = {
        code: 'payment_failed',
        ...(declineCode && { decline_code: declineCode }),
      };
    return session;
  }

  /** Expires a session. */
  expire(session: Session): Session {
    session.status = 'expired';
    session.url = null;
    return session;
  }

  /** Ends a refund. */
  end(refund: Refund, status: 'succeeded' | 'failed', reason?: string): Refund {
    refund.status = status;
    if (reason !== undefined) refund.failure_reason = reason;
    return refund;
  }

  /** The sum of payments without the sum of refunds, in Stripe's units. */
  netAmount(): number {
    const taken = [...this.payments.values()].reduce((sum, { amount_received }) => sum + amount_received, 0);
    const back = [...this.refunds.values()].filter(({ status }) => status !== 'failed');
    return taken - back.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Returns the JSON of an event. */
  event(type: string, object: object, members: object = {}): string {
    return JSON.stringify(
      {
        id: `evt_${randomBytes(12).toString('hex')}`,
        object: 'event',
        api_version: Stripe.API_VERSION,
        created: this.seconds(),
        data: { object },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
        ...members,
      },
      null,
      2,
    );
  }

  sign(payload: string, { secret = WEBHOOK_SECRET, age = 0 } = {}): string {
    return this.stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: this.seconds() - age,
    });
  }

  /** Sends an event. @returns the status of the response */
  async deliver(serviceUrl: string, payload: string, signature = this.sign(payload)): Promise<number> {
    const response = await fetch(`${serviceUrl}/v1/processors/stripe/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      body: payload,
    });
    await response.text();
    return response.status;
  }

  private complete(
    session: Session,
    paymentStatus: Session['payment_status'],
    status: Payment['status'],
  ): Session {
    if (session.status !== 'open') throw new Error(`${session.id} is ${session.status}: it cannot be paid.`);
    const payment: Payment = {
      id: name('pi'),
      object: 'payment_intent',
      amount: session.amount_total!,
      amount_received: status === 'succeeded' ? session.amount_total! : 0,
      currency: session.currency!,
      status,
    };
    this.payments.set(payment.id, payment);
    Object.assign(session, {
      status: 'complete',
      payment_status: paymentStatus,
      payment_intent: payment.id,
      url: null,
    });
    return session;
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1000);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url!, 'http://stripe');
    const call: Call = {
      method: request.method!,
      path: pathname,
      body: chunks.length > 0 ? new URLSearchParams(Buffer.concat(chunks).toString()) : searchParams,
      key: request.headers['idempotency-key'] as string | undefined,
      authorization: request.headers.authorization,
    };
    if (pathname.startsWith('/c/pay/')) return sendPage(response);
    this.calls.push(call);
    await this.before(call);
    const fault = this.faultOf(call);
    if (fault === 500) return send(response, { status: 500, body: failure('api_error', 'boom') });
    if (typeof fault === 'object' && fault !== null) {
      return send(response, { status: fault.status, body: failure('invalid_request_error', fault.code) });
    }
    const result = this.once(call);
    if (fault === 'lost') return void request.socket.destroy();
    send(response, result);
  }

  private faultOf({ method, path }: Call): Fault | null {
    const found = this.faults.find((one) => one.left > 0 && one.path.test(`${method} ${path}`));
    if (found === undefined) return null;
    found.left -= 1;
    return found.fault;
  }

  /** A repeat with the same key returns the stored response; another request with that key is rejected. */
  private once(call: Call): Result {
    const request = `${call.method} ${call.path}\n${call.body.toString()}`;
    const known = call.key === undefined ? undefined : this.responses.get(call.key);
    if (known && known.request !== request) {
      return { status: 400, body: failure('idempotency_error', 'idempotency_error') };
    }
    if (known?.result) return known.result;
    const result = this.execute(call);
    if (call.key !== undefined) this.responses.set(call.key, { request, result });
    return result;
  }

  private execute(call: Call): Result {
    try {
      return { status: 200, body: structuredClone(this.route(call)) };
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      return { status: error.status, body: failure(error.type, error.code) };
    }
  }

  private route({ method, path, body, authorization }: Call): object {
    if (authorization !== `Bearer ${STRIPE_KEY}`) throw new StripeError(401, 'api_key_invalid');
    const [, , resource, id, action] = path.replace('checkout/sessions', 'sessions').split('/');
    switch (`${method} ${resource}${id ? '/:id' : ''}${action ? `/${action}` : ''}`) {
      case 'POST sessions':
        return this.createSession(body);
      case 'GET sessions':
        return { object: 'list', data: [], has_more: false, url: '/v1/checkout/sessions' };
      case 'GET sessions/:id': {
        const session = found(this.sessions, id!);
        if (session.status === 'open' && session.expires_at <= this.seconds()) this.expire(session);
        return { ...session, payment_intent: this.payments.get(session.payment_intent ?? '') ?? null };
      }
      case 'POST sessions/:id/expire': {
        const session = found(this.sessions, id!);
        if (session.status !== 'open') throw new StripeError(400, 'checkout_session_not_open');
        return this.expire(session);
      }
      case 'POST refunds':
        return this.createRefund(body);
      case 'GET refunds': {
        if (this.hasEndlessRefunds)
          return {
            object: 'list',
            data: Array.from({ length: 100 }, () => ({ id: name('re'), object: 'refund' })),
            has_more: true,
            url: '/v1/refunds',
          };
        const data = [...this.refunds.values()].filter(
          (one) => one.payment_intent === body.get('payment_intent'),
        );
        return { object: 'list', data, has_more: false, url: '/v1/refunds' };
      }
      default:
        throw new StripeError(404, `unknown ${method} ${path}`);
    }
  }

  private createSession(body: URLSearchParams): Session {
    const price = (member: string): string => body.get(`line_items[0][price_data]${member}`) ?? '';
    const [currency, amount] = [price('[currency]'), Number(price('[unit_amount]'))];
    const expiresIn = Number(body.get('expires_at')) - this.seconds();
    if (body.get('mode') !== 'payment') throw new StripeError(400, 'mode_unknown');
    if (price('[product_data][name]') === '') throw new StripeError(400, 'parameter_missing');
    if (expiresIn < 30 * 60 || expiresIn > 24 * 3600) throw new StripeError(400, 'expires_at_invalid');
    assertChargeable(amount, currency);
    const session: Session = {
      id: name('cs_test'),
      object: 'checkout.session',
      amount_total: amount,
      currency,
      client_reference_id: body.get('client_reference_id'),
      customer_email: body.get('customer_email'),
      expires_at: Number(body.get('expires_at')),
      livemode: false,
      metadata: metadataIn(body),
      mode: 'payment',
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      success_url: body.get('success_url'),
      cancel_url: body.get('cancel_url'),
      url: null,
    };
    session.url = `${this.url}/c/pay/${session.id}#fragment`;
    this.sessions.set(session.id, session);
    return session;
  }

  private createRefund(body: URLSearchParams): Refund {
    const payment = found(this.payments, body.get('payment_intent') ?? '');
    const before = [...this.refunds.values()].filter(
      (one) => one.payment_intent === payment.id && one.status !== 'failed',
    );
    const left = payment.amount_received - before.reduce((sum, { amount }) => sum + amount, 0);
    const amount = body.has('amount') ? Number(body.get('amount')) : left;
    if (left === 0) throw new StripeError(400, 'charge_already_refunded');
    if (amount > left || !(amount > 0)) throw new StripeError(400, 'amount_too_large');
    const refund: Refund = {
      id: name('re'),
      object: 'refund',
      amount,
      currency: payment.currency,
      status: this.newRefundStatus,
      metadata: metadataIn(body),
      payment_intent: payment.id,
      ...(this.newRefundStatus === 'failed' && { failure_reason: 'declined' }),
    };
    this.refunds.set(refund.id, refund);
    return refund;
  }
}

function name(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

function found<T>(things: Map<string, T>, id: string): T {
  const thing = things.get(id);
  if (thing === undefined) throw new StripeError(404, 'resource_missing');
  return thing;
}

function metadataIn(body: URLSearchParams): Record<string, string> {
  const members = [...body].flatMap(([key, value]) => {
    const member = /^metadata\[(\w+)\]$/.exec(key)?.[1];
    return member === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(members);
}

function assertChargeable(amount: number, currency: string): void {
  if (!Number.isInteger(amount) || amount < 1) throw new StripeError(400, 'parameter_invalid_integer');
  if (amount > 99_999_999) throw new StripeError(400, 'amount_too_large');
  const step = { isk: 100, ugx: 100, kwd: 10, bhd: 10, jod: 10, omr: 10, tnd: 10 }[currency] ?? 1;
  if (amount % step !== 0) throw new StripeError(400, 'amount_invalid');
}

function failure(type: string, code: string): Failure {
  return {
    error: { type: type as Stripe.StripeRawError['type'], code, message: `about ${code}` },
  };
}

/** Sends a minimal checkout page. */
function sendPage(response: ServerResponse): void {
  const page = '<!doctype html><html lang="en"><title>Checkout</title><h1>Checkout</h1></html>';
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}

function send(response: ServerResponse, { status, body }: Result): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
