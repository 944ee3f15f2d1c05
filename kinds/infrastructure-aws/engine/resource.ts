import type { CloudAction, CloudInput, Filter, Tag } from '../../ports/cloud/index.ts';
import { type ListName, lists } from '../../ports/lists.ts';
import type { Asking } from './ask.ts';
import type { Part, Use } from './scope.ts';
import type { Description } from './tags.ts';

/**
 * Everything that the controller knows of one type of AWS resource. The engine creates, repairs,
 * tags, describes and deletes all types by these descriptions. Functions are pure.
 */
export interface ResourceType<T, U extends Use = Use> {
  /** First word of its steps' keys, and of its purpose tag. */
  sort: string;
  /** Its name in messages. */
  title: string;
  /** Its name in the reasons of Events about tags, if it is not the title. */
  eventNoun?: string;
  /** Operations that have an Event. */
  events: readonly CloudAction[];
  /** Types that share it are ready together. */
  condition: PartCondition;
  /** No condition is reported while the spec asks for none. */
  isOptional?: true;

  // Describe.
  /** How AWS lists it by tag; undefined for a part of another resource. */
  list?: ListName;
  /** Filters besides the cluster's tags. */
  filters?: Filter[];
  /** Which resources of the list are of this type; by default all. */
  isOne?(one: T): boolean;
  /** The parts of other resources that are of this type. */
  inside?(found: U['inventory']): readonly T[];
  /** By default as in the list. */
  id?(one: T): string;
  /** By default `Tags`. */
  tags?(one: T): readonly Tag[];
  /** By default from `State`. */
  state?(one: T): State;
  /** A ready one whose state is about to change, so that the controller describes it again. */
  isMoving?(one: T): boolean;
  /** Whether the cluster may have any; by default it may. Spares the describe call. */
  isPossible?(question: U['question']): boolean;
  /** What makes it possible never changes: a deletion looks for none that is not. */
  isAsked?: true;
  /**
   * For a type that belongs to the network: whether the controller describes those of an unmanaged
   * network, or uses none of them.
   */
  inUnmanagedNetwork?: 'described' | 'unused';

  // Create and repair.
  /** How many words follow the sort in the key of the step that creates one. */
  depth: 0 | 1 | 2;
  /** The types of EC2 resources that one creation makes and tags. */
  ec2?: readonly string[];
  /** How AWS recognises a second request. `once`: not at all. By default by a unique name. */
  repeats?: 'token' | 'once';
  /** What the spec asks for. Its order is the order of the steps. */
  desired(scope: U['scope']): Desired<T>;
  /** The condition's message until everything is ready; said by the first type with it. */
  awaiting?(scope: U['scope']): string;
  /** Why one failed. */
  failure?(one: T): string;
  /** A failed one is deleted, and another one created. */
  isReplaced?: true;
  /** Whether the types that follow in the list can be created. */
  allows?(scope: U['scope'], part: Part): boolean;
  /** What is left to wait for when everything with its condition is ready. */
  completed?(scope: U['scope'], part: Part): Part;
  /** Of those that AWS shows, the ones that a stalled worker created once more. */
  duplicates?(scope: U['scope']): T[];
  /** When a check of an operation is worth a call, by the words after the resource's key. */
  expected?: Record<string, Expected<U>>;

  // Tag.
  /** The resources that carry its tags; by default itself. */
  tagged?(one: T): string[];
  /** Describe calls may not show everything that it consists of yet. */
  isComing?(one: T): boolean;
  /** Its own tags besides those of all resources. Undefined: the controller does not tag it. */
  marks?(one: T, scope: U['scope'], given: U['scope']['spec']): Marks | undefined;

  // Delete.
  /** Types that AWS refuses to delete while one of this type exists. */
  uses: readonly string[];
  /**
   * A deletion describes what is `last` once nothing `slow` is left. By default it describes the
   * resources at once, and does not wait for them.
   */
  turn?(about: U['deletion']): 'slow' | 'last' | undefined;
  /** Calls after which the others of the type can be deleted. */
  release?(one: T): Removal[];
  /** The next calls that delete it. None while another owner uses it. */
  remove?(one: T, found: U['inventory']): Removal[];
  /** The key of the step that created it; by default its purpose tag. */
  keyOf?(one: T, purpose: string): string;
}

export interface PartCondition {
  type: string;
  /** Its reason until everything is ready. */
  started: string;
  /** Its reason when something failed or cannot be had. */
  failed: string;
}

export type State = 'pending' | 'ready' | 'failed' | 'deleting' | 'deleted';

export interface Marks {
  /** Tags of the resource's own spec, which win. */
  given?: Record<string, string> | undefined;
  /** Tags that the in-cluster cloud provider finds it by; the controller restores them. */
  finding?: Record<string, string>;
}

/** Nothing is asked for; what it needs does not exist yet; or it cannot be had. */
export type Desired<T> = readonly Want<T>[] | 'later' | { failed: string };

/** One resource that the spec asks for. */
export interface Want<T> {
  /** Words of its keys after the sort. */
  which?: string;
  there: T | undefined;
  /** Its id in the spec. Describe calls may miss it for a while. */
  noted?: string | undefined;
  /** Why another one is not created when the noted one is gone. */
  lost?: string;
  /** Why it cannot be had. */
  lacks?: string | undefined;
  /** Undefined while something that it needs is missing. */
  create?: Call | undefined;
  /** Its tags. The purpose is its key by default, the role `common`. */
  tags?: Description;
  /** It is neither created nor replaced yet. */
  isHeld?: boolean;
  /** Changes of the existing one, by the words after its key. */
  repairs?: Record<string, Call | undefined>;
  /** What is awaited, as words after its key. */
  awaited?: string[];
}

export interface Call {
  operation: CloudAction;
  input: CloudInput<CloudAction>;
}
export interface Removal extends Call {
  /** What the call names, if it is a part of the resource. */
  id?: string;
}

export interface Expected<U extends Use = Use> {
  /** Seconds after the request when the first checks are due; no result is expected between them. */
  checks: number[];
  /** Seconds between further checks, until the operation takes twice as long as expected. */
  every: number;
  /** Whether it is still in progress, from few calls. Undefined: it follows another operation. */
  isUnderway?(cloud: Asking, key: string, about: U['awaited']): boolean;
}
export const call = <A extends CloudAction>(operation: A, input: CloudInput<A>): Call => ({ operation, input });
/** The engine adds tags and token. */
export const create = <A extends CloudAction>(
  operation: A,
  input: Omit<CloudInput<A>, 'TagSpecifications' | 'Tags' | 'ClientToken'>,
): Call => ({ operation, input: input as CloudInput<A> });

export const idOf = <T>({ id, list }: ResourceType<T>, one: T): string => {
  const listed: { id(one: unknown): string } | undefined = list && lists[list];
  return id?.(one) ?? listed?.id(one) ?? '';
};
export const tagsOfOne = <T>({ tags }: ResourceType<T>, one: T): readonly Tag[] =>
  tags?.(one) ?? (one as { Tags?: Tag[] }).Tags ?? [];
export const stateOf = <T>(type: { title: string; state?(one: T): State }, one: T): State => {
  const { State: shown } = one as { State?: State | 'available' };
  return type.state?.(one) ?? (shown === undefined || shown === 'available' ? 'ready' : shown);
};

/** A set of types by name, in the order in which their resources are created. */
export type Types = Readonly<Record<string, ResourceType<unknown>>>;

/** Its name in the reasons of Events. */
export const eventNounOf = ({ title, eventNoun }: ResourceType<unknown>): string =>
  eventNoun ?? title.replace(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase());

/** The resources of a type, also those inside others. */
export const itemsOf = (found: object, name: string, type: ResourceType<unknown>): readonly unknown[] =>
  type.inside?.(found) ?? (found as Record<string, readonly unknown[]>)[name] ?? [];

/** The type whose steps have such keys. */
export const typeOf = (key: string, all: Types): ResourceType<unknown> | undefined => {
  const sort = key.split('/')[0];
  return Object.values(all).find((one) => one.sort === sort);
};
