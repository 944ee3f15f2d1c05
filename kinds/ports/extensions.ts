/** Runtime extensions of users, by the Runtime SDK of Cluster API. */
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import type { WebhookClientConfig } from '../../machinery/api/webhook.ts';
import { asks, calls } from './port.ts';

/** One handler that extensions have registered, as `handler.extension`. */
export interface Handler {
  name: string;
  hook: string;
}

/** An answer of an extension; `failed`: why there is none. */
export type Answered = { answer: JsonObject; failed?: never } | { failed: string };

export type ExtensionsReads = {
  /** Asks an extension what it handles. */
  Discover: [{ clientConfig: WebhookClientConfig; settings?: Record<string, string> }, Answered];
  /** Calls one handler by its name. */
  Call: [
    { namespace: string; handler: string; hook: string; settings?: Record<string, string>; request: JsonObject },
    Answered,
  ];
  /** The versions that an upgrade goes through, as one handler plans them. `fields`: of the request. */
  PlanUpgrade: [{ handler: string; cluster: KubeObject; fields: JsonObject }, Answered];
  /** The templates of a topology after all patches of its class. */
  Patch: [
    { namespace: string; items: JsonObject[]; patches: JsonObject[] },
    { templates: KubeObject[]; failed?: never } | { failed: string },
  ];
  /** The handlers that are called for Clusters in a namespace, in the order of the calls. */
  Handlers: [{ namespace: string }, Handler[]];
};

export type ExtensionsEffects = {
  /**
   * Calls all handlers of a lifecycle hook, one after the other, and records the answer on the Cluster.
   * `about`: what the answer holds for, such as a version. `fields`: of the request, besides the Cluster.
   */
  CallHook: {
    hook: string;
    cluster: { namespace: string; name: string; uid: string };
    about: string;
    fields: JsonObject;
  };
};

export const askExtensions = asks<ExtensionsReads>('extensions');
export const callExtensions = calls<ExtensionsEffects>('extensions');
