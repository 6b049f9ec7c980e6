import { Inject, Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error';
import { addPages, languageOf, sendHtml } from '../../../platform/pages/page-routes';
import { Log } from '../../../platform/telemetry/log';
import { PaymentProcessor } from '../../processors';
import { PaymentLinks } from '../domain/payment-references';
import { PaymentContext } from '../domain/payment-context';
import { fillReturnUrl } from '../domain/return-urls';
import { SandboxChoice } from '../application/simulated-payments.service';
import { bankTransferSettings, BankTransferSettings } from './bank-transfer.settings';
import { CustomerPayments } from './customer-payments.service';
import { PageState, stateAfterError } from './page-state';
import { PageOptions, PaymentPageView } from './payment-page.view';

/** Long enough to see that the payment succeeded. */
const REDIRECT_SECONDS = 5;

type PageRequest = FastifyRequest<{ Params: { secret: string }; Querystring: { from?: unknown } }>;

/**
 * The page behind a payment URL. `GET` shows it and changes nothing; `POST` submits one of its forms.
 *
 * Forms need no protection against cross-site requests: there are no cookies, and anyone who knows the address may pay.
 */
@Injectable()
export class PaymentPageRoutes implements OnModuleInit {
  private readonly view: PaymentPageView;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly payments: CustomerPayments,
    private readonly log: Log,
    private readonly processor: PaymentProcessor,
    private readonly links: PaymentLinks,
    @Inject(bankTransferSettings.token) bankTransfer: BankTransferSettings,
  ) {
    this.view = new PaymentPageView(processor, bankTransfer, links);
  }

  onModuleInit(): void {
    addPages(this.adapters, this.log, {
      prefix: '/pay',
      contentSecurityPolicy: this.view.contentSecurityPolicy,
      renderUnknown: (language) => this.view.renderWithoutRequest('unknown', language),
      renderError: (language) => this.view.renderWithoutRequest('error', language),
      addRoutes: (scope) => {
        scope.get('/:secret', (request: PageRequest, reply) => this.show(request, reply));
        scope.post('/:secret', (request: PageRequest, reply) => this.submit(request, reply));
      },
    });
  }

  private async show(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const context = await this.payments.find(request.params.secret);
    if (context === null) return this.sendUnknown(request, reply);
    const state = await this.payments.pageState(context);
    const isReturning =
      request.query.from === 'checkout' &&
      (state === 'pay' || state === 'unavailable') &&
      (await this.payments.hasLiveCheckout(context));
    const leavesSoon = state === 'paid' && hasJustPaid(request, context);
    if (!isReturning) return this.sendPage(request, reply, 200, context, state, { leavesSoon });
    // A customer who returns has most likely paid, and the processor's report will arrive shortly.
    return this.sendPage(request, reply, 200, context, 'processing', { mayResume: state === 'pay' });
  }

  /** Responds with a redirect, so that a reload or the back button submits nothing again. */
  private async submit(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const choice = this.processor.checkouts === null ? parseSandboxChoice(request.body) : null;
    if (choice === null) assertPaymentForm(request.body);
    const context = await this.payments.find(request.params.secret);
    if (context === null) return this.sendUnknown(request, reply);
    try {
      if (choice === null) return await this.redirectToProcessor(reply, context);
      await this.payments.simulateOutcome(context, choice);
      return await this.redirect(reply, buildReturnPath(context));
    } catch (error) {
      const state = stateAfterError(error);
      if (state === null) throw error;
      return this.sendNotPayable(request, reply, state);
    }
  }

  private async redirectToProcessor(reply: FastifyReply, context: PaymentContext): Promise<FastifyReply> {
    const url = await this.payments.startCheckout(context, this.links.to(context.request.secret));
    const origin = this.processor.checkouts?.origin;
    if (url !== null && new URL(url).origin !== origin) {
      this.log.notice(
        `The processor's page is at ${new URL(url).origin}, but the settings allow ${origin} only`,
      );
    }
    return this.redirect(reply, url ?? buildPath(context));
  }

  private redirect(reply: FastifyReply, location: string): FastifyReply {
    return reply.code(303).header('Location', location).send();
  }

  private async sendNotPayable(
    request: PageRequest,
    reply: FastifyReply,
    reason: 'rejected' | 'unavailable',
  ): Promise<FastifyReply> {
    const context = await this.payments.find(request.params.secret);
    if (context === null) return this.sendUnknown(request, reply);
    const state = await this.payments.pageState(context);
    return this.sendPage(request, reply, 409, context, state === 'pay' ? reason : state);
  }

  private async sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    context: PaymentContext,
    state: PageState,
    options: PageOptions = {},
  ): Promise<FastifyReply> {
    const language = languageOf(request, context.payee.language);
    const html = await this.view.render(context, state, language, options);
    const { returnUrl, id } = context.request;
    if (options.leavesSoon && returnUrl !== null)
      reply.header('Refresh', `${REDIRECT_SECONDS}; url=${fillReturnUrl(returnUrl, id)}`);
    return sendHtml(reply.code(status), html, language);
  }

  private sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const language = languageOf(request, null);
    return sendHtml(reply.code(404), this.view.renderWithoutRequest('unknown', language), language);
  }
}

/** The page is also the receipt, which stays open when the link is opened again. */
function hasJustPaid({ query }: PageRequest, { request }: PaymentContext): boolean {
  return request.returnUrl !== null && (query.from === 'payment' || query.from === 'checkout');
}

/** The page's own URL, relative, because a proxy may serve the page under another path. */
function buildPath({ request }: PaymentContext): string {
  return `./${request.secret}`;
}

/** The page after a payment, which leads the customer back where the payee wants it. */
function buildReturnPath(context: PaymentContext): string {
  return context.request.returnUrl === null ? buildPath(context) : `${buildPath(context)}?from=payment`;
}

/** @throws DomainError `invalid_request` for a form that does not belong to the page */
function parseSandboxChoice(form: unknown): SandboxChoice {
  const outcome = form instanceof URLSearchParams ? form.get('outcome') : null;
  const declines = form instanceof URLSearchParams ? form.get('declines') : null;
  if (
    (outcome !== 'succeeded' && outcome !== 'declined') ||
    declines === null ||
    !/^\d{1,3}$/.test(declines)
  ) {
    throw unknownForm();
  }
  return { outcome, declinesSeen: Number(declines) };
}

/** @throws DomainError `invalid_request` for a form that does not belong to the page */
function assertPaymentForm(form: unknown): void {
  if (!(form instanceof URLSearchParams && form.get('pay') === 'now')) throw unknownForm();
}

function unknownForm(): DomainError {
  return new DomainError('invalid_request', 'This form does not belong to the payment page.');
}
