/** What wakes a controller, as data: the dispatcher and the deployment read it. */

/** How a changed object maps to the objects to reconcile. */
export type Route =
  /** Its owners of the controller's kind. */
  | 'owner'
  /** The objects of the controller's kind that it owns. */
  | 'dependents'
  /** The Cluster it belongs to, unless the change concerns single members of the cluster. */
  | 'cluster'
  /**
   * All objects of the controller's kind in its cluster, or the Cluster itself. If one of them owns
   * the changed object, only that one.
   */
  | 'members'
  /** As `members`, for an object without a controller, which any of them may adopt. */
  | 'adopters'
  /** The objects of the controller's kind whose spec refers to it. */
  | 'referrers'
  /** The objects of the controller's kind that serve it, as `servedBy` of its kind says. */
  | 'servers'
  /** All objects of the controller's kind in its namespace. */
  | 'namespace'
  /** All objects of the controller's kind. */
  | 'all';

/**
 * The weight of a change. It decides which watches count the change and how long its passes are
 * debounced (`delays` in machinery/controller/dispatch.ts). A change without a level concerns the
 * object itself: its creation or deletion, its labels, its owners, and its `direction`; for a kind
 * without `direction`, what API clients write to its metadata and spec. Every watch counts it, and
 * its passes run at once.
 */
export type Level =
  /** A status field on which others wait, as its kind says; other changes by API clients. At once. */
  | 'gate'
  /** Any other fact in the status; what controllers write to the spec. Within seconds. */
  | 'count'
  /** Reasons, messages, times, and what controllers write to the metadata. Within half a minute. */
  | 'note';

export type Watch = {
  to: Route;
  /** The least level that counts; only changes of the object itself if absent. */
  level?: Level;
} & (
  | { kind: string; role?: never }
  /** A role stands for every kind that has it. */
  | { role: string; kind?: never }
);

export interface ControllerWiring {
  /** The kind whose objects are reconciled. */
  for: string;
  /** The worker function that runs it on AWS, by the access that it needs. */
  worker: string;
  /** The least level that counts of the reconciled object itself; all if absent. */
  level?: Level;
  /** Seconds from any watched change to the pass, for a sweep that must follow it at a distance. */
  sweepAfter?: number;
  /** A sweep of the account checks the resources of ready objects, so they rarely resync. */
  swept?: boolean;
  watches: readonly Watch[];
}

/** By the controller's name. */
export type Wiring = Readonly<Record<string, ControllerWiring>>;

export const wiringOf = (controllers: readonly (ControllerWiring & { name: string })[]): Wiring =>
  Object.fromEntries(
    controllers.map(({ name, for: kind, worker, level, sweepAfter, swept, watches }) => [
      name,
      {
        for: kind,
        worker,
        ...(level && { level }),
        ...(sweepAfter !== undefined && { sweepAfter }),
        ...(swept && { swept }),
        watches,
      },
    ]),
  );
