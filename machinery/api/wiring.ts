/** What wakes a controller, as data: the dispatcher and the deployment read it. */

/** How a changed object maps to the objects to reconcile. */
export type Route =
  /** Its owners of the controller's kind. */
  | 'owner'
  /** The objects of the controller's kind that it owns. */
  | 'dependents'
  /** The Cluster it belongs to. */
  | 'cluster'
  /**
   * All objects of the controller's kind in its cluster, or the Cluster itself. If one of them owns
   * the changed object, only that one.
   */
  | 'members'
  /** The objects of the controller's kind whose spec refers to it. */
  | 'referrers'
  /** All objects of the controller's kind in its namespace. */
  | 'namespace'
  /** All objects of the controller's kind. */
  | 'all';

/**
 * Which changes count; all if absent. Parts of the status: `facts` is everything except reasons,
 * messages and times. `verdict` is what aggregates count: replicas, the phase, Ready and Available.
 * `available` is Available, with the available and total replicas, on which a rollout proceeds.
 * `latched` is `initialization` and the kind's `gates`, which other controllers wait for and which
 * rarely revert. `direction` is what a kind's dependents act on: whether a Cluster is paused and
 * what its target is, what a set's Machines should be, whether a WorkloadSnapshot's cluster answers.
 */
export type Part =
  | 'created'
  | 'deleted'
  | 'deleting'
  | 'metadata'
  | 'direction'
  | 'labels'
  | 'spec'
  | 'status'
  | 'facts'
  | 'verdict'
  | 'available'
  | 'latched';

export type Watch = {
  to: Route;
  on?: readonly Part[];
  /**
   * Ignores changes that concern single members of a cluster, such as single Nodes of a
   * WorkloadSnapshot.
   */
  whole?: boolean;
  /**
   * Only changes of objects without a controller: a controller receives its own objects' changes as
   * their owner, and other selecting controllers ignore them.
   */
  orphan?: boolean;
  /**
   * Whose changes count; all if absent. `clients`: not what controllers fill into a spec, which no
   * user asked for. `others`: not the writes of this controller.
   */
  by?: 'clients' | 'others';
  /** Seconds of debounce, so that one pass handles further changes too; none if absent. */
  after?: number;
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
  /** Which changes of the object itself count; all if absent. */
  on?: readonly Part[];
  /**
   * Seconds of delay after its creation, because its creator sets the owner right after; none if
   * absent.
   */
  afterCreation?: number;
  /** A sweep of the account checks the resources of ready objects, so they rarely resync. */
  swept?: boolean;
  watches: readonly Watch[];
}

/** By the controller's name. */
export type Wiring = Readonly<Record<string, ControllerWiring>>;

export const wiringOf = (controllers: readonly (ControllerWiring & { name: string })[]): Wiring =>
  Object.fromEntries(
    controllers.map(({ name, for: kind, worker, on, afterCreation, swept, watches }) => [
      name,
      {
        for: kind,
        worker,
        ...(on && { on }),
        ...(afterCreation !== undefined && { afterCreation }),
        ...(swept && { swept }),
        watches,
      },
    ]),
  );
