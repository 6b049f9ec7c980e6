import type { Dashboard } from './en';

export const dashboard: Dashboard = {
  signIn: {
    title: 'Bei Ihrem Konto anmelden',
    notAdmitted: 'Das Dashboard ist für den Inhaber und die Mitglieder eines Kontos.',
    disabled: 'Dieser Benutzer oder dieses Konto kann sich nicht anmelden. Fragen Sie den Betreiber.',
    toConsole: 'Zur Konsole des Backoffice',
    toDashboard: 'Zum Dashboard eines Kontos',
  },
  askOwner: 'Das darf nur der Inhaber des Kontos.',
  settings: 'Einstellungen',
  suspended: 'Das Konto ist gesperrt: Sie können alles ansehen, aber nichts erstellen.',
  pending: 'Das Konto ist noch nicht aktiv: Es nimmt Zahlungen an, zahlt aber nichts aus.',
  transfer: {
    create: 'Neue Umbuchung',
    text: 'Das Geld ist sofort auf dem anderen Konto. Nur dieses kann es zurückgeben.',
    to: 'Id des Empfängerkontos',
    done: 'Die Umbuchung wurde erstellt.',
  },
  subscription: {
    create: 'Neues Abonnement',
    text: 'Der Kunde erhält sofort eine Zahlungsanforderung und in jedem Zeitraum eine weitere, bis das Abonnement storniert wird.',
    done: 'Das Abonnement wurde erstellt.',
  },
  people: {
    text: 'Wer sich für das Konto anmeldet. Mitglieder erledigen die tägliche Arbeit; der Inhaber lädt außerdem Personen ein und erstellt API-Schlüssel.',
    inviteText:
      'Das Mitglied erhält eine E-Mail mit einem Link, um ein Passwort festzulegen. Er gilt sieben Tage.',
    invite: 'Mitglied einladen',
    remove: 'Entfernen',
    removeText:
      'Der Benutzer wird mit allen Sitzungen gelöscht. Was er getan hat, bleibt. Das kann nicht zurückgenommen werden.',
    removed: 'Der Benutzer wurde entfernt.',
  },
  keys: {
    text: 'Schlüssel, mit denen Ihre Programme für das Konto handeln.',
    createText: 'Mit dem Schlüssel handelt ein Programm für das Konto, soweit Sie es erlauben.',
    everything: 'Ohne Auswahl: alles.',
    revokeText:
      'Programme, die den Schlüssel „{name}“ benutzen, werden ab der nächsten Anfrage abgelehnt. Das kann nicht zurückgenommen werden.',
  },
  webhooks: {
    text: 'Wo der Dienst Ihren Programmen meldet, was geschehen ist.',
    create: 'Neuer Endpunkt',
    createText:
      'Ereignisse gehen ab jetzt an diese Adresse, signiert mit einem Geheimnis, das nur einmal gezeigt wird.',
    created: 'Der Endpunkt wurde erstellt.',
    edit: 'Bearbeiten',
    editText: 'Künftige Ereignisse werden gesendet, wie Sie es hier wählen. Das Geheimnis bleibt.',
    edited: 'Der Endpunkt wurde geändert.',
    urlHint: 'Eine https-Adresse, die aus dem Internet erreichbar ist.',
    allTypes: 'Ohne Auswahl: alle.',
    secret: 'Das Geheimnis des Endpunkts',
    secretText: 'Es wird nur jetzt gezeigt. Ihr Programm prüft damit, ob ein Ereignis vom Dienst kommt.',
    rotate: 'Neues Geheimnis',
    rotateText:
      'Das jetzige Geheimnis signiert noch 24 Stunden neben dem neuen, das nur einmal gezeigt wird.',
    rotated: 'Es gibt ein neues Geheimnis.',
    delete: 'Löschen',
    deleteText:
      'Er bekommt nichts mehr, und seine Zustellungen werden gelöscht. Das kann nicht zurückgenommen werden.',
    deleted: 'Der Endpunkt wurde gelöscht.',
  },
  requests: {
    text: 'Was Programme und Personen in den letzten 7 Tagen bei der API angefragt haben, das Neueste zuerst.',
    request: 'Anfrage',
    result: 'Ergebnis',
    code: 'Fehlercode',
    caller: 'Absender',
  },
  you: {
    title: 'Ihre Anmeldung',
    password: 'Passwort',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    newHint: 'Mindestens 8 Zeichen und kein häufig benutztes.',
    change: 'Passwort ändern',
    changed: 'Das Passwort wurde geändert. Ihre anderen Sitzungen sind beendet.',
    factor: 'Zweiter Faktor',
    factorOff:
      'Zur Anmeldung genügt das Passwort. Mit einem zweiten Faktor ist auch ein Code einer Authenticator-App nötig.',
    factorOn:
      'Zur Anmeldung ist ein Code Ihrer Authenticator-App nötig. Unbenutzte Wiederherstellungscodes: {count}.',
    setUp: 'Einrichten',
    switchOff: 'Ausschalten',
    switchOffText: 'Zur Anmeldung genügt dann das Passwort.',
    switchedOff: 'Der zweite Faktor ist aus.',
    codes: 'Neue Wiederherstellungscodes',
    codesText: 'Sie erhalten zehn neue Wiederherstellungscodes. Die bisherigen gelten nicht mehr.',
    codesMade: 'Es gibt neue Wiederherstellungscodes.',
    copyCodes: 'Wiederherstellungscodes',
    download: 'Herunterladen',
  },
};
