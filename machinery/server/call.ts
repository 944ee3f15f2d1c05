import type { KindVersion, User } from '../api/kind.ts';
import type { Clock, Log, Random } from '../ports.ts';
import type { Store } from '../store/store.ts';
import type { ResourcePath } from './path.ts';
import type { KindRegistry, Resource, ResourceStore } from './registry.ts';
import type { WatchLimit } from './watch-limit.ts';

/** What GET /version answers. */
export interface VersionInfo {
  major: string;
  minor: string;
  gitVersion: string;
  gitCommit: string;
  gitTreeState: string;
  buildDate: string;
  goVersion: string;
  compiler: string;
  platform: string;
}

/** What somebody wants to do: a resource request, or a path outside the API groups. */
export interface Attributes {
  user: User;
  verb: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  path?: string;
}

/** Undefined = allowed; a text = the reason why not. */
export type Authorize = (attributes: Attributes) => string | undefined | Promise<string | undefined>;

export interface ServerContext {
  registry: KindRegistry;
  store: Store;
  clock: Clock;
  random: Random;
  authorize: Authorize;
  version: VersionInfo;
  /** Milliseconds after which nobody waits for an answer any more. */
  longest: number;
  /** Objects that a list holds at once; longer ones are written while they are read. Absent = all of them. */
  longestList?: number;
  /** Absent = as many watches as there are clients, each as long as Kubernetes lets it last. */
  watchLimit?: WatchLimit;
  log?: Log;
}

/** One request for a resource, understood. */
export interface Call {
  server: ServerContext;
  request: Request;
  query: URLSearchParams;
  user: User;
  path: ResourcePath;
  resource: Resource;
  version: KindVersion;
  /** When it came, in milliseconds. */
  began: number;
  /** Milliseconds after that in which it must be carried out. */
  longest: number;
  /** Sent as Warning headers. */
  warnings: string[];
}

export const storeOf = ({ server, resource }: Call): ResourceStore => resource.store ?? server.store;

/** A warning is sent once, however many reasons there are for it. */
export const warn = (call: Call, text: string): void => {
  if (text && !call.warnings.includes(text)) call.warnings.push(text);
};
