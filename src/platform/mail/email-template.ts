import { Eta } from 'eta';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../i18n/messages';
import type { EmailContent } from './mailer';

const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,sans-serif';

/** Renders the emails of one module, in the frame that all emails share. */
export class EmailTemplate {
  private readonly eta = new Eta();
  private readonly frame = new Eta().compile(readFileSync(join(__dirname, 'email-frame.eta'), 'utf8'));
  private readonly body: ReturnType<Eta['compile']>;

  /** @param body the Eta template of the rows in the frame; it may use `it.subject` and `it.font` */
  constructor(body: string) {
    this.body = new Eta().compile(body);
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
