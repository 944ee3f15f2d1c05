/** What all policies of one request share: forms of its objects, its namespace, decisions on rights. */
import type { KubeObject } from '../api/object.ts';
import { once } from '../once.ts';
import type { NamespaceLabels } from './match.ts';
import type { ResourceForm, Review } from './review.ts';
import type { ReviewStore } from './review-store.ts';
import { Decisions, scopeOf } from './scope.ts';

export interface ReviewContext {
  labels: NamespaceLabels;
  /** The scope of the request in a form. */
  scope(form: ResourceForm): Promise<ReturnType<typeof scopeOf>>;
  /** Repeats an evaluation until it has found all rights that it asked for. */
  decided<T>(evaluate: () => T): Promise<T>;
  /** Of the same request with a changed object. */
  of(changed: Review): ReviewContext;
}

export const contextOf = (store: ReviewStore, review: Review): ReviewContext => {
  const { namespace } = review;
  const namespaceObject = once(
    async (): Promise<KubeObject | undefined> =>
      namespace === '' ? undefined : store.get('namespaces', { namespace: '', name: namespace }),
  );
  const labels: NamespaceLabels = async () => (await namespaceObject())?.metadata.labels;
  const decisions = new Decisions(review.authorize);
  const decided = async <T>(evaluate: () => T): Promise<T> => {
    for (;;) {
      const result = evaluate();
      if (await decisions.isComplete()) return result;
    }
  };
  const of = (own: Review): ReviewContext => {
    const converted = async (one: KubeObject | undefined, form: ResourceForm) =>
      one && form !== own.asked ? own.convert(one, form) : one;
    const scopes = new Map<ResourceForm, Promise<ReturnType<typeof scopeOf>>>();
    const makeScope = async (form: ResourceForm) =>
      scopeOf({
        review: own,
        form,
        object: await converted(own.object, form),
        old: await converted(own.old, form),
        namespace: await namespaceObject(),
        decide: decisions.decide,
      });
    return {
      labels,
      decided,
      of,
      scope: (form) => {
        const made = scopes.get(form) ?? makeScope(form);
        scopes.set(form, made);
        return made;
      },
    };
  };
  return of(review);
};
