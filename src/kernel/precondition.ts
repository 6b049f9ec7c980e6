/**
 * What has to hold of a resource for a change of it, which calls it with the resource while that is locked.
 * @throws DomainError `precondition_failed`
 */
export type Precondition = (resource: { readonly updatedAt: Date }) => void;
