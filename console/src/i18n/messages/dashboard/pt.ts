import type { Dashboard } from './en';

export const dashboard: Dashboard = {
  signIn: {
    title: 'Iniciar sessão na sua conta',
    notAdmitted: 'O painel é para o titular e os membros de uma conta.',
    disabled: 'Este utilizador ou esta conta não pode iniciar sessão. Fale com o operador do serviço.',
    toConsole: 'Para a consola do back office',
    toDashboard: 'Para o painel de uma conta',
  },
  askOwner: 'Só o titular da conta o pode fazer.',
  settings: 'Definições',
  suspended: 'A conta está suspensa: pode consultar tudo, mas não criar nada.',
  pending: 'A conta ainda não está ativa: recebe pagamentos, mas não envia dinheiro.',
  transfer: {
    create: 'Nova transferência',
    text: 'O dinheiro chega de imediato à outra conta. Só essa conta o pode devolver.',
    to: 'Id da conta que recebe',
    done: 'A transferência foi criada.',
  },
  subscription: {
    create: 'Nova subscrição',
    text: 'O cliente recebe agora um pedido de pagamento e outro em cada período até a subscrição ser cancelada.',
    done: 'A subscrição foi criada.',
  },
  people: {
    text: 'Quem inicia sessão pela conta. Os membros fazem o trabalho diário; o titular também convida pessoas e cria chaves de API.',
    inviteText:
      'O colega recebe um e-mail com um link para escolher uma palavra-passe, válido durante sete dias.',
    invite: 'Convidar um colega',
    remove: 'Remover',
    removeText:
      'O utilizador é eliminado, com todas as sessões. O que fez permanece. Isto não pode ser anulado.',
    removed: 'O utilizador foi removido.',
  },
  keys: {
    text: 'Chaves com que os seus programas agem pela conta.',
    createText: 'Com a chave, um programa age pela conta, até onde você o permitir.',
    everything: 'Sem seleção: tudo.',
    revokeText:
      'Os programas que usam a chave «{name}» são rejeitados a partir do próximo pedido. Isto não pode ser anulado.',
  },
  webhooks: {
    text: 'Onde o serviço comunica aos seus programas o que aconteceu.',
    create: 'Novo destino',
    createText:
      'Os eventos são enviados para este endereço a partir de agora, assinados com um segredo mostrado uma só vez.',
    created: 'O destino foi criado.',
    edit: 'Editar',
    editText: 'A partir de agora, os eventos são enviados como escolher aqui. O segredo mantém-se.',
    edited: 'O destino foi alterado.',
    urlHint: 'Um endereço https acessível a partir da Internet.',
    allTypes: 'Sem seleção: todos.',
    secret: 'O segredo do destino',
    secretText: 'Só é mostrado agora. Com ele, o seu programa verifica que um evento vem do serviço.',
    rotate: 'Novo segredo',
    rotateText:
      'O segredo atual continua a assinar durante 24 horas a par do novo, que é mostrado uma só vez.',
    rotated: 'Há um novo segredo.',
    delete: 'Eliminar',
    deleteText: 'Nada mais lhe é enviado e as suas entregas são eliminadas. Isto não pode ser anulado.',
    deleted: 'O destino foi eliminado.',
  },
  requests: {
    text: 'O que programas e pessoas pediram à API nos últimos 7 dias, o mais recente primeiro.',
    request: 'Pedido',
    result: 'Resultado',
    code: 'Código de erro',
    caller: 'Remetente',
  },
  you: {
    title: 'O seu acesso',
    password: 'Palavra-passe',
    current: 'Palavra-passe atual',
    new: 'Nova palavra-passe',
    newHint: 'Pelo menos 8 caracteres, e que não seja comum.',
    change: 'Alterar a palavra-passe',
    changed: 'A palavra-passe foi alterada. As suas outras sessões terminaram.',
    factor: 'Segundo fator',
    factorOff:
      'Para iniciar sessão basta a palavra-passe. Com um segundo fator, é também preciso um código de uma aplicação de autenticação.',
    factorOn:
      'O acesso pede um código da sua aplicação de autenticação. Códigos de recuperação por usar: {count}.',
    setUp: 'Configurar',
    switchOff: 'Desativar',
    switchOffText: 'A partir daí, basta a palavra-passe para iniciar sessão.',
    switchedOff: 'O segundo fator está desativado.',
    codes: 'Novos códigos de recuperação',
    codesText: 'Recebe dez novos códigos de recuperação. Os que tem deixam de funcionar.',
    codesMade: 'Há novos códigos de recuperação.',
    copyCodes: 'códigos de recuperação',
    download: 'Descarregar',
  },
};
