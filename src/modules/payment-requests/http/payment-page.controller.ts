import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { CONFIG, Config } from '../../../platform/config/config';
import { errorAnswer } from '../../../platform/http/refusal.filter';
import { Log } from '../../../platform/telemetry/log';
import { Attempt, Bill, Checkout } from '../application/checkout.service';
import { Language, languageFor } from '../page/languages';
import { PageState, PaymentPage } from '../page/payment-page';

type PageRequest = FastifyRequest<{ Params: { secret: string } }>;

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
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(CONFIG) { processor, transfer, paymentPageUrl }: Config,
  ) {
    const method = processor === 'sandbox' ? 'simulation' : 'transfer';
    this.page = new PaymentPage(method, transfer, paymentPageUrl);
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
    return this.sendBill(request, reply, 200, bill, stateOf(bill, this.clock.now()));
  }

  /** Answers with the way back to the page, so that a reload or the back button sends nothing again. */
  private async press(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { secret } = request.params;
    const attempt = attemptOf(request.body);
    let bill: Bill | null;
    try {
      bill = await this.checkout.attempt(secret, attempt);
    } catch (error) {
      if (!isNotPayable(error)) throw error;
      return this.showRefused(request, reply);
    }
    if (bill === null) return this.sendUnknown(request, reply);
    // Relative, since a proxy may serve the page under a path of its own.
    return reply.code(303).header('Location', `./${secret}`).send();
  }

  /** The account could not take the payment; unless the request has ended meanwhile, it stays as it was. */
  private async showRefused(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const bill = await this.checkout.view(request.params.secret);
    if (bill === null) return this.sendUnknown(request, reply);
    const state = stateOf(bill, this.clock.now());
    return this.sendBill(request, reply, 409, bill, state === 'pay' ? 'unavailable' : state);
  }

  private async sendBill(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    bill: Bill,
    state: PageState,
  ): Promise<FastifyReply> {
    const language = languageOf(request, bill.payee.language);
    return send(reply, status, await this.page.ofBill(bill, state, language), language);
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
      if (request.isExpired(now)) return 'expired';
      return payee.status === 'suspended' ? 'unavailable' : 'pay';
  }
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

/** What stands against paying is the account's affair; what stands against answering is an error. */
function isNotPayable(error: unknown): boolean {
  return error instanceof Refusal && error.code !== 'unavailable';
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
