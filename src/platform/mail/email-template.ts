import { Eta } from 'eta';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../i18n/messages';
import type { EmailContent } from './mailer';

const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,sans-serif';

/** Renders emails of one form, in the frame that all emails share. */
export class EmailTemplate {
  private readonly eta = new Eta();
  private readonly frame = this.eta.compile(readFileSync(join(__dirname, 'email-frame.eta'), 'utf8'));
  private readonly body: ReturnType<Eta['compile']>;

  /** @param path the Eta template of the rows in the frame, which may use `it.subject` and `it.font` */
  constructor(path: string) {
    this.body = this.eta.compile(readFileSync(path, 'utf8'));
  }

  /** @param paragraphs the same content as plain text, without those that are null */
  render(
    language: Language,
    subject: string,
    values: object,
    paragraphs: readonly (string | null)[],
  ): EmailContent {
    const body = this.eta.render(this.body, { ...values, subject, font: FONT });
    const html = this.eta.render(this.frame, { language, subject, body });
    const text = paragraphs.filter((paragraph) => paragraph !== null).join('\n\n') + '\n';
    return { language, subject, text, html };
  }
}
