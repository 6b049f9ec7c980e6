import { Eta } from 'eta';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../i18n/languages';
import { HtmlDocument } from './html-document';

const sharedStyle = readFileSync(join(__dirname, 'page.css'), 'utf8');

/** Renders the HTML pages of one module: documents that load nothing else and run no script. */
export class PageTemplate {
  private readonly eta = new Eta();
  private readonly body: ReturnType<Eta['compile']>;
  private readonly document: HtmlDocument;

  /**
   * @param body the Eta template of the elements in `<body>`
   * @param style the module's stylesheet, which follows the shared one
   * @param formTarget a further origin to which a form may redirect: browsers apply `form-action` to redirects too
   */
  constructor(body: string, style: string, formTarget: string | null = null) {
    this.body = new Eta().compile(body);
    const formAction = `form-action 'self'${formTarget === null ? '' : ` ${formTarget}`}`;
    this.document = new HtmlDocument({
      style: sharedStyle + style,
      directives: ['img-src data:', formAction],
    });
  }

  get contentSecurityPolicy(): string {
    return this.document.contentSecurityPolicy;
  }

  render(language: Language, title: string, values: object): string {
    return this.document.render(language, title, this.eta.render(this.body, { ...values, language, title }));
  }
}
