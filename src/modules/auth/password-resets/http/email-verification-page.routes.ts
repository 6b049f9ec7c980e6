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
import { EmailVerifications } from '../domain/email-verifications';
import { passwordResetPageMessages } from './password-reset-page-messages';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

type PageContent =
  | {
      readonly state: 'form';
      readonly token: string;
      readonly subject: LoginSubject;
      readonly isWrong: boolean;
    }
  | { readonly state: 'done' | 'invalid' | 'error' };

/**
 * The page behind the link of a verification email, which asks for the password. It works like the page for a new password
 * (`PasswordResetPageRoutes`): `GET` changes nothing, `POST` takes the token from the form.
 */
@Injectable()
export class EmailVerificationPageRoutes implements OnModuleInit {
  private readonly template = new PageTemplate(
    read('email-verification-page.eta'),
    read('password-reset-page.css'),
  );

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly verifications: EmailVerifications,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    addPages(this.adapters, this.log, {
      prefix: '/email-verification',
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
    return this.showForm(request, reply, token, false);
  }

  /** Responds to a success with a redirect, so that a reload submits nothing again. */
  private async submit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const [token, password] = [form.get('token') ?? '', form.get('password') ?? ''];
    let isVerified: boolean;
    try {
      isVerified = await this.verifications.verify(token, password, deviceOf(request));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'invalid_credentials') throw error;
      return this.showForm(request, reply, token, true);
    }
    if (!isVerified) return this.send(request, reply, 404, { state: 'invalid' });
    return reply.code(303).header('Location', './email-verification/done').send();
  }

  /** @param isWrong whether the password that was submitted is wrong */
  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    isWrong: boolean,
  ): Promise<FastifyReply> {
    const subject = await this.verifications.findSubject(token);
    if (subject === null) return this.send(request, reply, 404, { state: 'invalid' });
    return this.send(request, reply, isWrong ? 400 : 200, { state: 'form', token, subject, isWrong });
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
    const { subjects, verification: t } = passwordResetPageMessages[language];
    if (content.state !== 'form')
      return this.template.render(language, t.states[content.state].heading, { t, ...content });
    const { state, token, subject, isWrong } = content;
    return this.template.render(language, t.form.heading, {
      t,
      state,
      token,
      subject: messageParts(subjects[subject.kind], { name: displayText(subject.name ?? subject.email) }),
      fault: isWrong ? t.form.wrong : null,
    });
  }
}
