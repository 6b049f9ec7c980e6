import { Eta } from 'eta';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../i18n/messages';

interface DocumentParts {
  /** The stylesheet, which follows the shared one. */
  readonly style: string;
  /** Runs at the end of the page; none by default. */
  readonly script?: string;
  /** What else the page may do, as directives of its policy. */
  readonly directives: readonly string[];
}

/** HTML documents that contain their style and script, and load nothing else that their policy does not name. */
export class HtmlDocument {
  /** Even a mistake in a template cannot run another script, and no other site can show the page in a frame. */
  readonly contentSecurityPolicy: string;

  private readonly eta = new Eta();
  private readonly document = new Eta().compile(read('document.eta'));
  private readonly style: string;
  private readonly script: string;

  constructor({ style, script = '', directives }: DocumentParts) {
    this.style = read('shared.css') + style;
    this.script = script;
    this.contentSecurityPolicy = [
      "default-src 'none'",
      `style-src '${hashText(this.style)}'`,
      ...(script === '' ? [] : [`script-src '${hashText(script)}'`]),
      ...directives,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }

  /**
   * @param body the elements in `<body>`, in which values are escaped
   * @param markdown the address of the same page as Markdown, if it has one
   */
  render(language: string, title: string, body: string, markdown?: string): string {
    const { style, script } = this;
    return this.eta.render(this.document, { language, title, style, script, body, markdown });
  }
}

function read(file: string): string {
  return readFileSync(join(__dirname, file), 'utf8');
}

function hashText(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

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
