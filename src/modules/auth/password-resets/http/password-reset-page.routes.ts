import { Injectable, OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FastifyReply, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '../../../../kernel/domain-error';
import { displayText } from '../../../../kernel/text';
import { Language, messageParts } from '../../../../platform/i18n/messages';
import { addPages, languageOf, sendHtml } from '../../../../platform/pages/page-routes';
import { PageTemplate } from '../../../../platform/pages/page-template';
import { Log } from '../../../../platform/telemetry/log';
import { LoginSubject } from '../../domain/sign-in-subjects';
import { deviceOf } from '../../http/calling-device';
import { invalidResetToken } from '../domain/emailed-link';
import { PasswordResets } from '../domain/password-resets';
import { passwordResetPageMessages } from './password-reset-page-messages';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

interface FormContent {
  readonly state: 'form';
  readonly token: string;
  readonly subject: LoginSubject;
  readonly fault?: 'weak' | 'mismatch';
}

/** The content of the page. `done` and `invalid` are the same for everyone. */
type PageContent = FormContent | { readonly state: 'done' | 'invalid' | 'error' };

/**
 * The page behind the link of a reset email. `GET` shows the form and changes nothing, because mail scanners open links;
 * `POST` takes the token from the form.
 *
 * The form needs no protection against cross-site requests: there are no cookies, and it works with the token alone.
 */
@Injectable()
export class PasswordResetPageRoutes implements OnModuleInit {
  private readonly template = new PageTemplate(
    read('password-reset-page.eta'),
    read('password-reset-page.css'),
  );

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly resets: PasswordResets,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    addPages(this.adapters, this.log, {
      prefix: '/password-reset',
      contentSecurityPolicy: this.template.contentSecurityPolicy,
      renderUnknown: (language) => this.render(language, { state: 'invalid' }),
      renderError: (language) => this.render(language, { state: 'error' }),
      addRoutes: (scope) => {
        const config = { confidential: true };
        scope.get('/done', (request, reply) => this.send(request, reply, 200, { state: 'done' }));
        scope.get('/:token', { config }, (request, reply) => this.show(request, reply));
        scope.post('/', { config }, (request, reply) => this.submit(request, reply));
      },
    });
  }

  private async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { token } = request.params as { token: string };
    return this.showForm(request, reply, token);
  }

  /** Responds to a success with a redirect, so that a reload submits nothing again. */
  private async submit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const [token, password] = [form.get('token') ?? '', form.get('password') ?? ''];
    if (password !== form.get('repeat')) return this.showForm(request, reply, token, 'mismatch');
    try {
      await this.resets.reset(token, password, deviceOf(request));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === invalidResetToken.name) return this.send(request, reply, 404, { state: 'invalid' });
      if (error.code !== 'invalid_request') throw error;
      return this.showForm(request, reply, token, 'weak');
    }
    return reply.code(303).header('Location', './password-reset/done').send();
  }

  /** @param fault of the password that was submitted */
  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    fault?: FormContent['fault'],
  ): Promise<FastifyReply> {
    const subject = await this.resets.findSubject(token);
    if (subject === null) return this.send(request, reply, 404, { state: 'invalid' });
    return this.send(request, reply, fault ? 400 : 200, { state: 'form', token, subject, fault });
  }

  private send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    content: PageContent,
  ): FastifyReply {
    const language = languageOf(request, null);
    return sendHtml(reply.code(status), this.render(language, content), language);
  }

  private render(language: Language, content: PageContent): string {
    const t = passwordResetPageMessages[language];
    if (content.state !== 'form')
      return this.template.render(language, t.states[content.state].heading, { t, ...content });
    const { state, token, subject, fault } = content;
    return this.template.render(language, t.form.heading, {
      t,
      state,
      token,
      subject: messageParts(t.subjects[subject.kind], { name: displayText(subject.name ?? subject.email) }),
      fault: fault ? t.faults[fault] : null,
      takeover: subject.isEmailVerified ? null : t.form.takeover,
    });
  }
}
