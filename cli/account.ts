/** Where the local control plane shows its simulated account; see local/account-api.ts. */
export const accountPath = '/capstan.dev/account';
