import type { MessagesByLanguage } from '../../platform/i18n/messages';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';

export const emailMessages: MessagesByLanguage<typeof en> = { en, de, fr, es, pt };
