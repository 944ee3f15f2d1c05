export type { Audit, AuditEvent } from './audit.ts';
export type { AccessDecision, Attributes, Authorize, Call, TokenIssuer, VersionInfo } from './call.ts';
export type { ClientRates } from './client-limits.ts';
export { serveDefinitions } from './definitions.ts';
export { ensureNamespaces, namespaceExtension } from './namespaces.ts';
export { published } from './published.ts';
export {
  createRegistry,
  type Extension,
  joinExtensions,
  type KindRegistry,
  type Resource,
  type ResourceStore,
  type Subresource,
} from './registry.ts';
export { allowed, decidedBy, everything, noRestrictions, type Rights } from './rights.ts';
export { type ApiServer, createServer, type ServerOptions } from './server.ts';
export { createWatchLimit, type WatchLimit } from './watch-limit.ts';
