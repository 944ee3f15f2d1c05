import type { UsersAdmission } from '../admission/review.ts';
import type { KindVersion, User } from '../api/kind.ts';
import type { Clock, Log, Random } from '../ports.ts';
import type { Quotas } from '../quota/quotas.ts';
import type { Store } from '../store/store.ts';
import type { ResourcePath } from './path.ts';
import type { KindRegistry, Resource, ResourceStore } from './registry.ts';
import type { Rights } from './rights.ts';
import type { WatchLimit } from './watch-limit.ts';

/** The response of GET /version. */
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

/**
 * The authorization attributes of a request: a resource request, or a path outside the API groups.
 */
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

/** Whether a request is allowed, and which rule allows it or why none does, if that is known. */
export interface AccessDecision {
  allowed: boolean;
  reason: string;
}

export type Authorize = (attributes: Attributes) => AccessDecision | Promise<AccessDecision>;

/** Issues the tokens of ServiceAccounts, and verifies them. */
export interface TokenIssuer {
  /**
   * Whose the token is, and for which of the audiences it is; undefined for one that is not valid,
   * or not of this issuer. Without audiences it must be for this API.
   */
  verify(token: string, audiences: readonly string[]): Promise<{ user: User; audiences: string[] } | undefined>;
  /** What relying parties read first. `url`: of the API in this request. */
  metadata(url: string): Promise<Response>;
  /** The public keys. */
  keys(): Promise<Response>;
}

export interface ServerContext {
  registry: KindRegistry;
  store: Store;
  clock: Clock;
  random: Random;
  rights: Rights;
  /** Absent = users define none. */
  admission?: UsersAdmission;
  authenticate: (request: Request) => User | undefined | Promise<User | undefined>;
  /** Absent = creations are not limited. */
  quotas?: Quotas;
  /** Absent = there are no ServiceAccounts. */
  issuer?: TokenIssuer;
  version: VersionInfo;
  /** Milliseconds after which clients no longer wait for a response. */
  longest: number;
  /**
   * The most objects of a list in memory; longer lists are streamed while they are read. Absent =
   * no limit.
   */
  longestList?: number;
  /** Absent = any number of watches, each as long as Kubernetes allows. */
  watchLimit?: WatchLimit;
  /** Answers GET /metrics. */
  metrics?: () => Promise<Response>;
  log?: Log;
}

/** A parsed request for a resource. */
export interface Call {
  server: ServerContext;
  request: Request;
  query: URLSearchParams;
  user: User;
  /** What the user was allowed. */
  attributes: Attributes;
  path: ResourcePath;
  resource: Resource;
  version: KindVersion;
  /** When the request arrived, in milliseconds. */
  began: number;
  /** Milliseconds after `began` until which the request must be carried out. */
  longest: number;
  /**
   * Rejects when the kind has changed since this process read it, which it finds out beside the
   * call. A write waits for it.
   */
  unchanged?: Promise<void>;
  /** Sent as Warning headers. */
  warnings: string[];
  /** Annotations of the request's audit event. */
  audited: Record<string, string>;
  /** The object that the request creates, whose name its path does not have. */
  created: { name?: string };
}

export const storeOf = ({ server, resource }: Call): ResourceStore => resource.store ?? server.store;

/** Adds a warning once, however many reasons it has. */
export const warn = (call: Call, text: string): void => {
  if (text && !call.warnings.includes(text)) call.warnings.push(text);
};
