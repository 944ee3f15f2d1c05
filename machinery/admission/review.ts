/** A request as admission sees it: what is asked by whom, before and after. */
import type { Operation } from '../api/admission.ts';
import type { User } from '../api/kind.ts';
import type { JsonObject, KubeObject } from '../api/object.ts';
import type { MergeType } from '../apply/type.ts';
import type { Authorize } from '../server/call.ts';

/** A resource in one of its versions, and the kind of its bodies. */
export interface ResourceForm {
  group: string;
  version: string;
  kind: string;
  resource: string;
}

export interface Review {
  operation: Operation;
  /** What the request names. */
  asked: ResourceForm;
  /** The same resource in its other versions. */
  equivalents: readonly ResourceForm[];
  /** Empty for the object itself. */
  subresource: string;
  /** Of a Namespace, its own name. */
  namespace: string;
  name: string;
  /** In the form of the request; absent in a deletion. */
  object?: KubeObject;
  /** The stored object in the same form; absent in a creation. */
  old?: KubeObject;
  user: User;
  dryRun: boolean;
  /** Such as CreateOptions. */
  options: JsonObject;
  /** An object of the review, in any of its forms, in another one. */
  convert(object: KubeObject, form: ResourceForm): Promise<KubeObject>;
  /** How objects in a form are merged. */
  mergeType(form: ResourceForm): MergeType;
  /** A changed object in the form of the request, with its defaults and without unknown fields. */
  settle(object: KubeObject): KubeObject;
  /** Milliseconds until the client stops waiting. */
  timeLeft(): number;
  /** The rights of the user and of others. */
  authorize: Authorize;
}

/** What the policies of users make of a request. */
export interface Verdict {
  /** For the client. */
  warnings: string[];
  /** For the audit event. */
  annotations: Record<string, string>;
  /** Thrown if there is one. */
  refusal?: Error;
}

/** What users make of the object of a request before it is validated. */
export interface Mutation extends Verdict {
  object: KubeObject | undefined;
}

/** Decides on requests by what users have defined. */
export interface Reviewer {
  mutate(review: Review): Promise<Mutation>;
  validate(review: Review): Promise<Verdict>;
}

/** Admission by users. */
export interface UsersAdmission {
  /** Undefined while no user has defined any. */
  reviewer(): Promise<Reviewer | undefined>;
}
