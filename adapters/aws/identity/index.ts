/** Authentication. */

export type { Fetch } from './ask.ts';
export type { Authenticate, IdentityConfig } from './authenticate.ts';
export { createAuthenticate } from './authenticate.ts';
export { createMappings, type IdentityMapping, type Mappings, withMappings } from './entries.ts';
export { type NamedUsers, withNamedGroups } from './named.ts';
export type { OidcConfig } from './oidc.ts';
export { clusterHeader, tokenPrefix } from './presigned.ts';
export type { IdentityPorts, StsConfig } from './sts.ts';
