import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { CONFIG, Config } from '../../../platform/config/config';
import { errorAnswer } from '../../../platform/http/refusal.filter';
import { Log } from '../../../platform/telemetry/log';
import { PaymentProvider } from '../../providers';
import { Attempt, Bill, Checkout } from '../application/checkout.service';
import { HostedCheckout } from '../application/hosted-checkout.service';
import { PaymentLinks } from '../domain/payment-links';
import { isLive } from '../domain/checkout';
import { Language, languageFor } from '../page/languages';
import { PageState, PaymentPage } from '../page/payment-page';

type PageRequest = FastifyRequest<{ Params: { secret: string }; Querystring: { from?: unknown } }>;

/** A form has two short fields. */
const MAX_FORM_BYTES = 1024;

/**
 * The page behind a payment URL: `GET` shows it and changes nothing, `POST` is a press of one of its buttons.
 *
 * It speaks HTML, also in its errors, and takes forms, which the API must not. So it is no controller among those of
 * Nest, which share their parsers and their filter, but a scope of the HTTP server with its own.
 *
 * A form may come from another site: there is no cookie and nothing else that a browser would add by itself, so
 * whoever can name the address knows the secret, and knowing the secret is the right to pay.
 */
@Injectable()
export class PaymentPageController implements OnModuleInit {
  private readonly page: PaymentPage;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly checkout: Checkout,
    private readonly hosted: HostedCheckout,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly links: PaymentLinks,
    @Inject(CONFIG) { processor, transfer }: Config,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {
    const method = ({ sandbox: 'simulation', manual: 'transfer', stripe: 'checkout' } as const)[processor];
    this.page = new PaymentPage(method, transfer, links, provider);
  }

  /** Commands of the shell have no HTTP server. */
  onModuleInit(): void {
    const server = this.adapters.httpAdapter?.getInstance<FastifyInstance | undefined>();
    void server?.register(async (scope) => this.serve(scope), { prefix: '/pay' });
  }

  private serve(scope: FastifyInstance): void {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    scope.addHook('onSend', async (_request, reply) => void reply.headers(this.headers()));
    scope.setErrorHandler((error, request, reply) => this.fail(error, request, reply));
    scope.setNotFoundHandler((request, reply) => this.sendUnknown(request, reply));
    scope.get('/:secret', (request: PageRequest, reply) => this.show(request, reply));
    scope.post('/:secret', (request: PageRequest, reply) => this.press(request, reply));
  }

  private async show(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const bill = await this.checkout.view(request.params.secret);
    if (bill === null) return this.sendUnknown(request, reply);
    const state = await this.stateOf(bill);
    // Whoever comes back has most likely paid, and the provider's word is on its way.
    const isOnItsWay = isBack(request, bill) && (state === 'pay' || state === 'unavailable');
    if (!isOnItsWay) return this.sendBill(request, reply, 200, bill, state);
    return this.sendBill(request, reply, 200, bill, 'processing', state === 'pay');
  }

  /** Answers with the way back to the page, so that a reload or the back button sends nothing again. */
  private async press(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { secret } = request.params;
    const attempt = this.provider === null ? attemptOf(request.body) : null;
    if (attempt === null) assertPress(request.body);
    let to: string | null;
    try {
      to = attempt === null ? await this.leave(secret) : await this.choose(secret, attempt);
    } catch (error) {
      if (!isNotPayable(error)) throw error;
      // What the provider refuses it refuses again; what stands against it here may change.
      return this.showRefused(request, reply, isConflict(error) ? 'refused' : 'unavailable');
    }
    if (to === null) return this.sendUnknown(request, reply);
    return reply.code(303).header('Location', to).send();
  }

  /** In the sandbox the button says how paying ends. @returns the way back; null for an unknown link */
  private async choose(secret: string, attempt: Attempt): Promise<string | null> {
    const bill = await this.checkout.attempt(secret, attempt);
    return bill && backTo(secret);
  }

  /** @returns the way to the provider, or back where there is nothing to pay; null for an unknown link */
  private async leave(secret: string): Promise<string | null> {
    const bill = await this.checkout.view(secret);
    if (bill === null) return null;
    const to = await this.hosted.press(bill, this.links.to(secret));
    if (to !== null && new URL(to).origin !== this.provider?.checkoutOrigin) {
      this.log.notice(`The provider's page is at ${new URL(to).origin}: set STRIPE_CHECKOUT_URL to it`);
    }
    return to ?? backTo(secret);
  }

  /** The account could not take the payment; unless the request has ended meanwhile, it stays as it was. */
  private async showRefused(
    request: PageRequest,
    reply: FastifyReply,
    why: 'refused' | 'unavailable',
  ): Promise<FastifyReply> {
    const bill = await this.checkout.view(request.params.secret);
    if (bill === null) return this.sendUnknown(request, reply);
    const state = await this.stateOf(bill);
    return this.sendBill(request, reply, 409, bill, state === 'pay' ? why : state);
  }

  /** Who paid for nothing is told that the money comes back, not that there is nothing to pay. */
  private async stateOf(bill: Bill): Promise<PageState> {
    const state = stateOf(bill, this.clock.now());
    const hasEnded = state === 'canceled' || state === 'expired' || state === 'failed';
    return hasEnded && (await this.checkout.cameTooLate(bill.request)) ? 'late' : state;
  }

  private async sendBill(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    bill: Bill,
    state: PageState,
    mayResume = false,
  ): Promise<FastifyReply> {
    const language = languageOf(request, bill.payee.language);
    return send(reply, status, await this.page.ofBill(bill, state, language, mayResume), language);
  }

  private sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const language = languageOf(request, null);
    return send(reply, 404, this.page.withoutBill('unknown', language), language);
  }

  private fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, body, retryAfterSeconds } = errorAnswer(error);
    if (status >= 500) this.log.failure(body.error, error, request.id);
    if (retryAfterSeconds !== undefined) void reply.header('Retry-After', retryAfterSeconds);
    const language = languageOf(request, null);
    return send(reply, status, this.page.withoutBill('error', language), language);
  }

  private headers(): Record<string, string> {
    return {
      'Content-Security-Policy': this.page.contentSecurityPolicy,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex, nofollow',
      'Cache-Control': 'no-store',
      Vary: 'Accept-Language',
    };
  }
}

/** What a request shows at this moment. The sweep that ends what has expired may not have come by yet. */
function stateOf({ request, payee }: Bill, now: Date): PageState {
  switch (request.status) {
    case 'succeeded':
      return 'paid';
    case 'failed':
      return 'failed';
    case 'canceled':
      return request.ranOut ? 'expired' : 'canceled';
    case 'pending':
      if (request.isBeingProcessed) return 'processing';
      if (request.isExpired(now)) return 'expired';
      return payee.status === 'suspended' ? 'unavailable' : 'pay';
  }
}

/** Whether a customer comes from the provider's page. Anybody can say so: it only changes what they are shown. */
function isBack({ query }: PageRequest, { request }: Bill): boolean {
  return query.from === 'checkout' && isLive(request.checkout);
}

/** Relative, since a proxy may serve the page under a path of its own. */
function backTo(secret: string): string {
  return `./${secret}`;
}

/** @throws Refusal `invalid_request` for a form that is not the page's */
function attemptOf(form: unknown): Attempt {
  const outcome = form instanceof URLSearchParams ? form.get('outcome') : null;
  const declines = form instanceof URLSearchParams ? form.get('declines') : null;
  if ((outcome !== 'paid' && outcome !== 'declined') || declines === null || !/^\d$/.test(declines)) {
    throw new Refusal('invalid_request', 'This is not the form of the payment page.');
  }
  return { outcome, declinesSeen: Number(declines) };
}

/** @throws Refusal `invalid_request` for a form that is not the page's */
function assertPress(form: unknown): void {
  if (!(form instanceof URLSearchParams && form.get('pay') === 'now')) {
    throw new Refusal('invalid_request', 'This is not the form of the payment page.');
  }
}

/** What stands against paying is the account's affair; what stands against answering is an error. */
function isNotPayable(error: unknown): boolean {
  return error instanceof Refusal && error.code !== 'unavailable';
}

function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'conflict';
}

function languageOf({ headers }: FastifyRequest, preset: string | null): Language {
  return languageFor(headers['accept-language'], preset);
}

function send(reply: FastifyReply, status: number, html: string, language: Language): FastifyReply {
  return reply
    .code(status)
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Language', language)
    .send(html);
}
