import type { MessagesByLanguage } from '../../../../platform/i18n/messages';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';

export type PageMessages = typeof en;

export const pageMessages: MessagesByLanguage<PageMessages> = { en, de, fr, es, pt };
