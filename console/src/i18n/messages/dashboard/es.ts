import type { Dashboard } from './en';

export const dashboard: Dashboard = {
  signIn: {
    title: 'Iniciar sesión en su cuenta',
    notAdmitted: 'El panel es para el titular y los miembros de una cuenta.',
    disabled: 'Este usuario o esta cuenta no puede iniciar sesión. Consulte al operador del servicio.',
    toConsole: 'A la consola del back office',
    toDashboard: 'Al panel de una cuenta',
  },
  askOwner: 'Solo el titular de la cuenta puede hacerlo.',
  settings: 'Ajustes',
  suspended: 'La cuenta está suspendida: puede consultarlo todo, pero no crear nada.',
  pending: 'La cuenta aún no está activa: recibe pagos, pero no envía dinero.',
  transfer: {
    create: 'Nuevo traspaso',
    text: 'El dinero llega de inmediato a la otra cuenta. Solo esa cuenta puede devolverlo.',
    to: 'Id de la cuenta que recibe',
    done: 'Se creó el traspaso.',
  },
  subscription: {
    create: 'Nueva suscripción',
    text: 'El cliente recibe ahora una solicitud de pago y otra en cada período hasta que se cancele la suscripción.',
    done: 'Se creó la suscripción.',
  },
  people: {
    text: 'Quiénes inician sesión por la cuenta. Los miembros hacen el trabajo diario; el titular, además, invita a personas y crea claves de API.',
    inviteText:
      'Su colega recibe un correo con un enlace para elegir una contraseña, válido durante siete días.',
    invite: 'Invitar a un colega',
    remove: 'Quitar',
    removeText:
      'El usuario se elimina, con todas sus sesiones. Lo que ha hecho se conserva. Esto no se puede deshacer.',
    removed: 'Se quitó al usuario.',
  },
  keys: {
    text: 'Claves con las que sus programas actúan por la cuenta.',
    createText: 'Con la clave, un programa actúa por la cuenta, hasta donde usted lo permita.',
    everything: 'Sin selección: todo.',
    revokeText:
      'Los programas que usan la clave «{name}» se rechazan desde su próxima petición. Esto no se puede deshacer.',
  },
  webhooks: {
    text: 'Dónde el servicio comunica a sus programas lo que ha ocurrido.',
    create: 'Nuevo destino',
    createText:
      'Los eventos se envían a esta dirección desde ahora, firmados con un secreto que se muestra una sola vez.',
    created: 'Se creó el destino.',
    edit: 'Editar',
    editText: 'Desde ahora, los eventos se envían según lo que elija aquí. El secreto no cambia.',
    edited: 'Se cambió el destino.',
    urlHint: 'Una dirección https accesible desde internet.',
    allTypes: 'Sin selección: todos.',
    secret: 'El secreto del destino',
    secretText: 'Solo se muestra ahora. Con él, su programa comprueba que un evento viene del servicio.',
    rotate: 'Nuevo secreto',
    rotateText: 'El secreto actual sigue firmando 24 horas junto al nuevo, que se muestra una sola vez.',
    rotated: 'Hay un secreto nuevo.',
    delete: 'Eliminar',
    deleteText: 'Ya no se le envía nada y sus entregas se eliminan. Esto no se puede deshacer.',
    deleted: 'Se eliminó el destino.',
  },
  requests: {
    text: 'Lo que programas y personas han pedido a la API en los últimos 7 días, lo más reciente primero.',
    request: 'Petición',
    result: 'Resultado',
    code: 'Código de error',
    caller: 'Remitente',
  },
  you: {
    title: 'Su acceso',
    password: 'Contraseña',
    current: 'Contraseña actual',
    new: 'Nueva contraseña',
    newHint: 'Al menos 8 caracteres, y no una contraseña común.',
    change: 'Cambiar la contraseña',
    changed: 'La contraseña se ha cambiado. Sus demás sesiones han terminado.',
    factor: 'Segundo factor',
    factorOff:
      'Para iniciar sesión basta la contraseña. Con un segundo factor, hace falta también un código de una aplicación de autenticación.',
    factorOn:
      'El acceso pide un código de su aplicación de autenticación. Códigos de recuperación sin usar: {count}.',
    setUp: 'Configurar',
    switchOff: 'Desactivar',
    switchOffText: 'Desde entonces, para iniciar sesión basta la contraseña.',
    switchedOff: 'Se desactivó el segundo factor.',
    codes: 'Nuevos códigos de recuperación',
    codesText: 'Recibe diez códigos de recuperación nuevos. Los que tiene dejan de funcionar.',
    codesMade: 'Hay nuevos códigos de recuperación.',
    copyCodes: 'códigos de recuperación',
    download: 'Descargar',
  },
};
