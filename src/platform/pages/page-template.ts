import { Eta } from 'eta';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Language } from '../i18n/languages';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** Renders the HTML pages of one module: documents that load nothing else and run no script. */
export class PageTemplate {
  private readonly eta = new Eta();
  private readonly document = new Eta().compile(read('document.eta'));
  private readonly body: ReturnType<Eta['compile']>;
  private readonly style: string;

  /**
   * Allows the page's own style and its forms. Even a mistake in a template cannot run a script or load anything, and
   * no other site can show the page in a frame.
   */
  readonly contentSecurityPolicy: string;

  /**
   * @param body the Eta template of the elements in `<body>`
   * @param style the module's stylesheet, which follows the shared one
   * @param formTarget a further origin to which a form may redirect: browsers apply `form-action` to redirects too
   */
  constructor(body: string, style: string, formTarget: string | null = null) {
    this.body = new Eta().compile(body);
    this.style = read('page.css') + style;
    this.contentSecurityPolicy = [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(this.style).digest('base64')}'`,
      'img-src data:',
      `form-action 'self'${formTarget === null ? '' : ` ${formTarget}`}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }

  render(language: Language, title: string, values: object): string {
    const body = this.eta.render(this.body, { ...values, language, title });
    return this.eta.render(this.document, { language, title, style: this.style, body });
  }
}
