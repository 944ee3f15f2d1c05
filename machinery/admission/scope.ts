/** What the expressions of a policy see of a request. */
import type { Variable } from '../api/admission.ts';
import type { User } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { type Scope, shownError } from '../cel/program.ts';
import { celValue } from '../cel/value.ts';
import type { AccessDecision, Attributes, Authorize } from '../server/call.ts';
import { Authorizer, type Decide } from './authorizer.ts';
import { compile } from './environment.ts';
import type { ResourceForm, Review } from './review.ts';

const kindOf = ({ group, version, kind }: ResourceForm) => ({ group, version, kind });
const resourceOf = ({ group, version, resource }: ResourceForm) => ({ group, version, resource });

/** The user as an AdmissionRequest shows it. */
export const userInfoOf = ({ username, uid, groups, extra }: User) => ({
  username,
  ...(uid && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
});

/** The request without its objects. `form`: the one that was matched. */
export const requestOf = (review: Review, form: ResourceForm) => {
  const { asked, subresource, name, namespace, operation, user, dryRun, options } = review;
  return {
    kind: kindOf(form),
    resource: resourceOf(form),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(asked),
    requestResource: resourceOf(asked),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfoOf(user),
    dryRun,
    options,
  };
};

/** What expressions see of a Namespace. */
const shownNamespace = ({ metadata, spec, status }: KubeObject) => {
  const { uid: _, managedFields: __, ownerReferences: ___, ...shown } = metadata;
  const times = Object.fromEntries(
    (['creationTimestamp', 'deletionTimestamp'] as const).flatMap((name) =>
      metadata[name] === undefined ? [] : [[name, new Date(metadata[name])]],
    ),
  );
  return { metadata: { ...(celValue(shown) as object), ...times }, spec: celValue(spec), status: celValue(status) };
};

/** Rights that an evaluation asks for. It is repeated once those are known that it did not find. */
export class Decisions {
  readonly #authorize: Authorize;
  readonly #known = new Map<string, AccessDecision | Error>();
  #missing = new Map<string, Attributes>();
  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }
  readonly decide: Decide = (attributes) => {
    const key = JSON.stringify(attributes);
    const known = this.#known.get(key);
    if (known) return known;
    this.#missing.set(key, attributes);
    throw new Error('the decision of the authorizer is not known yet');
  };
  /** Whether an evaluation found all that it asked for; if not, the next one will find more. */
  async isComplete(): Promise<boolean> {
    const missing = [...this.#missing];
    this.#missing = new Map();
    for (const [key, attributes] of missing)
      this.#known.set(
        key,
        await Promise.resolve(this.#authorize(attributes)).catch((error: unknown) => error as Error),
      );
    return missing.length === 0;
  }
}

export interface Inputs {
  review: Review;
  form: ResourceForm;
  object: KubeObject | undefined;
  old: KubeObject | undefined;
  namespace: KubeObject | undefined;
  decide: Decide;
}

const orNull = (object: KubeObject | undefined): unknown => (object ? celValue(object) : null);

/** The scope of a request, whatever the policy. */
export const scopeOf = ({ review, form, object, old, namespace, decide }: Inputs): Scope => {
  const { group, version, resource } = form;
  const { user, subresource, name } = review;
  const named = { group, version, resource, ...(subresource && { subresource }), ...(name && { name }) };
  const isNamespace = review.asked.group === '' && review.asked.kind === 'Namespace';
  return {
    object: orNull(object),
    oldObject: orNull(old),
    request: celValue(requestOf(review, form)),
    namespaceObject: namespace && !isNamespace ? shownNamespace(namespace) : null,
    authorizer: new Authorizer(user, decide, {
      ...named,
      ...(review.namespace && { namespace: review.namespace }),
    }),
  };
};

/** The scope with the variables of a policy, each of which is computed when it is first used. */
export const withVariables = (scope: Scope, variables: readonly Variable[]): Scope => {
  const values: Record<string, unknown> = {};
  const whole = { ...scope, variables: values };
  for (const { name, expression } of variables) {
    let made: { value: unknown } | { error: Error } | undefined;
    const make = () => {
      const program = compile(expression);
      if (program instanceof Error) return { error: new Error(`composited variable "${name}" fails to compile`) };
      try {
        return { value: program(whole) };
      } catch (error) {
        return { error: new Error(`composited variable "${name}" fails to evaluate: ${shownError(error)}`) };
      }
    };
    Object.defineProperty(values, name, {
      enumerable: true,
      get: () => {
        made ??= make();
        if ('error' in made) throw made.error;
        return made.value;
      },
    });
  }
  return whole;
};
