/**
 * The running control plane does not recreate the Installation, and all sweeps of the account
 * depend on it.
 */
export const refuseDelete = (): string => 'it is this control plane itself, which looks after the account by it';
