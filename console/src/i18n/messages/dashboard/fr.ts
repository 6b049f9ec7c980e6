import type { Dashboard } from './en';

export const dashboard: Dashboard = {
  signIn: {
    title: 'Se connecter à votre compte',
    notAdmitted: 'Le tableau de bord est réservé au titulaire et aux membres d’un compte.',
    disabled: 'Cet utilisateur ou ce compte ne peut pas se connecter. Contactez l’opérateur du service.',
    toConsole: 'Vers la console du back-office',
    toDashboard: 'Vers le tableau de bord d’un compte',
  },
  askOwner: 'Seul le titulaire du compte peut le faire.',
  settings: 'Paramètres',
  refundHint: 'Vous le trouverez dans les détails du remboursement.',
  unverified:
    'Votre e-mail n’est pas encore vérifié : d’ici là, vous ne pouvez inviter personne, ni créer de clé ou de point de terminaison.',
  open: 'En suspens',
  nothingOpen: 'Rien n’est en suspens.',
  suspended: 'Le compte est suspendu : vous pouvez tout consulter, mais ne rien créer.',
  pending: 'Le compte n’est pas encore actif : il reçoit des paiements, mais n’envoie pas d’argent.',
  version: {
    version: 'Version de l’API',
    change: 'Changer la version de l’API',
    text: 'Dès la prochaine requête, les sessions du compte utilisent cette version si la requête n’en indique aucune. Les clés API et les points de terminaison webhook gardent la leur. Vous pouvez revenir à la précédente.',
    done: 'La version de l’API a été changée.',
  },
  transfer: {
    create: 'Nouveau virement interne',
    text: 'L’argent est aussitôt sur l’autre compte. Seul ce compte peut le restituer.',
    to: 'Identifiant du compte destinataire',
    toHint: 'Il commence par acc_. Le titulaire du compte le trouve sous « Paramètres ».',
    done: 'Le virement interne a été créé.',
  },
  subscription: {
    create: 'Nouvel abonnement',
    text: 'Le client reçoit une demande de paiement maintenant, puis une autre à chaque période jusqu’à l’annulation de l’abonnement.',
    done: 'L’abonnement a été créé.',
  },
  people: {
    text: 'Qui se connecte pour le compte. Les membres s’occupent du quotidien ; le titulaire peut aussi inviter des personnes et créer des clés API.',
    inviteText:
      'Votre collègue reçoit un e-mail avec un lien pour choisir un mot de passe, valable sept jours.',
    invite: 'Inviter un collègue',
    remove: 'Retirer',
    removeText:
      'L’utilisateur est supprimé, avec toutes ses sessions. Ce qu’il a fait est conservé. Cela ne peut pas être annulé.',
    removed: 'L’utilisateur a été retiré.',
  },
  keys: {
    text: 'Clés avec lesquelles vos programmes agissent pour le compte.',
    createText: 'Avec la clé, un programme agit pour le compte, dans les limites que vous fixez.',
    purposes: {
      shop: 'Boutique : demander un paiement, voir s’il a été effectué',
      reader: 'Tout consulter, ne rien modifier',
      everything: 'Tout',
      chosen: 'Ce que je choisis',
    },
    choose: 'Choisissez au moins un droit.',
    revokeText:
      'Les programmes qui utilisent la clé « {name} » sont rejetés dès leur prochaine requête. Cela ne peut pas être annulé.',
  },
  webhooks: {
    text: 'Où le service informe vos programmes de ce qui s’est passé.',
    create: 'Nouveau point de terminaison',
    createText:
      'Les événements sont désormais envoyés à cette adresse, signés avec un secret affiché une seule fois.',
    created: 'Point de terminaison créé.',
    edit: 'Modifier',
    editText: 'Les événements à venir sont envoyés selon vos choix ici. Le secret ne change pas.',
    edited: 'Point de terminaison modifié.',
    urlHint: 'Une adresse https accessible depuis Internet.',
    allTypes: 'Si vous n’en choisissez aucun, il les reçoit tous.',
    secret: 'Le secret du point de terminaison',
    secretText:
      'Il n’est affiché que maintenant. Il permet à votre programme de vérifier qu’un événement vient du service.',
    rotate: 'Nouveau secret',
    rotateText:
      'Le secret actuel signe encore pendant 24 heures, en plus du nouveau, qui n’est affiché qu’une fois.',
    rotated: 'Il y a un nouveau secret.',
    delete: 'Supprimer',
    deleteText:
      'Plus rien ne lui est envoyé, et ses livraisons sont supprimées. Cela ne peut pas être annulé.',
    deleted: 'Point de terminaison supprimé.',
  },
  requests: {
    text: 'Ce que les programmes et cette page ont demandé à l’API ces 7 derniers jours, le plus récent d’abord. Parmi les lectures réussies, une par seconde est conservée.',
    request: 'Requête',
    result: 'Résultat',
    code: 'Code d’erreur',
    caller: 'Émetteur',
  },
  you: {
    title: 'Votre connexion',
    password: 'Mot de passe',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    newHint: 'Au moins 8 caractères, et pas un mot de passe courant.',
    change: 'Modifier le mot de passe',
    changed: 'Le mot de passe a été modifié. Vos autres sessions sont terminées.',
    factor: 'Second facteur',
    factorOff:
      'Le mot de passe suffit pour se connecter. Avec un second facteur, il faut aussi un code d’une application d’authentification.',
    factorOn:
      'La connexion exige un code de votre application d’authentification. Codes de secours restants : {count}.',
    setUp: 'Configurer',
    switchOff: 'Désactiver',
    switchOffText: 'Le mot de passe suffit ensuite pour se connecter.',
    switchedOff: 'Le second facteur est désactivé.',
    codes: 'Nouveaux codes de secours',
    codesText: 'Vous recevez dix nouveaux codes de secours. Les anciens ne seront plus valables.',
    codesMade: 'Il y a de nouveaux codes de secours.',
    copyCodes: 'codes de secours',
    download: 'Télécharger',
    thisSession: 'Cette session.',
    verified: 'vérifié',
    unverified: 'non vérifié',
    verify: 'Envoyer un lien de vérification',
    verifyText: 'Le lien reçu par e-mail vous demande votre mot de passe.',
    changeEmail: 'Modifier l’e-mail',
    changeEmailText: 'Vous vous connectez ensuite avec le nouveau. L’ancienne adresse en est avertie.',
    emailChanged: 'L’e-mail a été modifié.',
  },
};
