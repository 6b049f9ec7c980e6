export { ApiKeys } from './application/api-keys.service';
export { ApiKeyListeners } from './domain/api-key-listeners';
