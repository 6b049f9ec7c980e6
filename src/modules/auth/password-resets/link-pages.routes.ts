import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyReply, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '../../../kernel/domain-error';
import { displayText } from '../../../kernel/text';
import { Device } from '../../../platform/audit/audit-trail';
import { Language, messageParts, MessagesByLanguage } from '../../../platform/i18n/messages';
import { addPages, languageOf, sendHtml } from '../../../platform/pages/page-routes';
import { PageTemplate } from '../../../platform/pages/page-template';
import { Log } from '../../../platform/telemetry/log';
import { LoginSubject } from '../domain/sign-in-subjects';
import { deviceOf } from '../http/caller';
import { EmailVerifications } from './email-verifications.service';
import { invalidResetToken, LinkPurpose, pageNames } from './emailed-link';
import { EmailedLinksService } from './emailed-links.service';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';
import { PasswordResets } from './password-resets.service';

export const linkPageMessages: MessagesByLanguage<typeof en> = { en, de, fr, es, pt };

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

type Titled = { readonly heading: string };

/** The page behind the links of one purpose. */
interface LinkPage {
  /** The first part of its path and of its template's name. */
  readonly name: string;
  readonly purpose: LinkPurpose;
  readonly template: PageTemplate;
  /** The texts of its template, and what it says about a form that was not accepted. */
  readonly texts: (language: Language) => {
    readonly t: { readonly form: Titled; readonly states: Readonly<Record<FinalState, Titled>> };
    readonly faults: Readonly<Record<string, string>>;
  };
  /** Uses the link. @returns null, or `invalid` for a link that cannot be used, or the fault of the form */
  readonly submit: (token: string, form: URLSearchParams, device: Device) => Promise<string | null>;
}

/** They are the same for everyone. */
type FinalState = 'done' | 'invalid' | 'error';

interface Form {
  readonly token: string;
  readonly subject: LoginSubject;
  /** Of the form that was submitted. */
  readonly fault: string | null;
}

/**
 * The pages behind links that are sent by email: to set a new password, and to verify an email, which asks for the
 * password. `GET` shows the form and changes nothing, because mail scanners open links; `POST` takes the token from the
 * form.
 *
 * The forms need no protection against cross-site requests: there are no cookies, and they work with the token alone.
 */
@Injectable()
export class LinkPageRoutes implements OnModuleInit {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly log: Log,
    private readonly links: EmailedLinksService,
    private readonly resets: PasswordResets,
    private readonly verifications: EmailVerifications,
  ) {}

  onModuleInit(): void {
    const style = read('link-page.css');
    this.add({
      name: pageNames.password_reset,
      purpose: 'password_reset',
      template: new PageTemplate(read('password-reset-page.eta'), style),
      texts: (language) => ({ t: linkPageMessages[language], faults: linkPageMessages[language].faults }),
      submit: (...submitted) => this.resetPassword(...submitted),
    });
    this.add({
      name: pageNames.email_verification,
      purpose: 'email_verification',
      template: new PageTemplate(read('email-verification-page.eta'), style),
      texts: (language) => {
        const { verification } = linkPageMessages[language];
        return { t: verification, faults: { wrong: verification.form.wrong } };
      },
      submit: (...submitted) => this.verifyEmail(...submitted),
    });
  }

  private async resetPassword(
    token: string,
    form: URLSearchParams,
    device: Device,
  ): Promise<'mismatch' | 'weak' | 'invalid' | null> {
    const password = form.get('password') ?? '';
    if (password !== form.get('repeat')) return 'mismatch';
    try {
      await this.resets.reset(token, password, device);
      return null;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === invalidResetToken.name) return 'invalid';
      if (error.code !== 'invalid_request') throw error;
      return 'weak';
    }
  }

  private async verifyEmail(
    token: string,
    form: URLSearchParams,
    device: Device,
  ): Promise<'wrong' | 'invalid' | null> {
    try {
      return (await this.verifications.verify(token, form.get('password') ?? '', device)) ? null : 'invalid';
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'invalid_credentials') throw error;
      return 'wrong';
    }
  }

  private add(page: LinkPage): void {
    addPages(this.adapters, this.log, {
      prefix: `/${page.name}`,
      contentSecurityPolicy: page.template.contentSecurityPolicy,
      renderUnknown: (language) => render(page, language, 'invalid'),
      renderError: (language) => render(page, language, 'error'),
      addRoutes: (scope) => {
        const config = { confidential: true };
        scope.get('/done', (request, reply) => send(page, request, reply, 200, 'done'));
        scope.get('/:token', { config }, (request, reply) => {
          const { token } = request.params as { token: string };
          return this.sendForm(page, request, reply, token, null);
        });
        scope.post('/', { config }, (request, reply) => this.submit(page, request, reply));
      },
    });
  }

  /** Responds to a success with a redirect, so that a reload submits nothing again. */
  private async submit(page: LinkPage, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const token = form.get('token') ?? '';
    const fault = await page.submit(token, form, deviceOf(request));
    if (fault === null) return reply.code(303).header('Location', `./${page.name}/done`).send();
    if (fault === 'invalid') return send(page, request, reply, 404, 'invalid');
    return this.sendForm(page, request, reply, token, fault);
  }

  private async sendForm(
    page: LinkPage,
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    fault: string | null,
  ): Promise<FastifyReply> {
    const subject = await this.links.findSubject(token, page.purpose);
    if (subject === null) return send(page, request, reply, 404, 'invalid');
    return send(page, request, reply, fault === null ? 200 : 400, { token, subject, fault });
  }
}

function send(
  page: LinkPage,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  content: FinalState | Form,
): FastifyReply {
  const language = languageOf(request, null);
  return sendHtml(reply.code(status), render(page, language, content), language);
}

function render({ template, texts }: LinkPage, language: Language, content: FinalState | Form): string {
  const { t, faults } = texts(language);
  if (typeof content === 'string')
    return template.render(language, t.states[content].heading, { t, state: content });
  const { token, subject, fault } = content;
  const { subjects } = linkPageMessages[language];
  return template.render(language, t.form.heading, {
    t,
    state: 'form',
    token,
    subject: messageParts(subjects[subject.kind], { name: displayText(subject.name ?? subject.email) }),
    fault: fault === null ? null : faults[fault],
    isTakenOver: !subject.isEmailVerified && !subject.isInvited,
  });
}
