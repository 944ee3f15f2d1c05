/** What all policies of one request share: forms of its objects, its namespace, decisions on rights. */
import type { KubeObject } from '../api/object.ts';
import { once } from '../once.ts';
import type { NamespaceLabels } from './match.ts';
import type { ResourceForm, Review } from './review.ts';
import type { ReviewStore } from './review-store.ts';
import { Decisions, scopeOf } from './scope.ts';

export const contextOf = (store: ReviewStore, review: Review) => {
  const { namespace, object, old } = review;
  const namespaceObject = once(
    async (): Promise<KubeObject | undefined> =>
      namespace === '' ? undefined : store.get('namespaces', { namespace: '', name: namespace }),
  );
  const labels: NamespaceLabels = async () => (await namespaceObject())?.metadata.labels;
  const decisions = new Decisions(review.authorize);
  const converted = async (one: KubeObject | undefined, form: ResourceForm) =>
    one && form !== review.asked ? review.convert(one, form) : one;
  const scopes = new Map<ResourceForm, ReturnType<typeof makeScope>>();
  const makeScope = async (form: ResourceForm) =>
    scopeOf({
      review,
      form,
      object: await converted(object, form),
      old: await converted(old, form),
      namespace: await namespaceObject(),
      decide: decisions.decide,
    });
  return {
    labels,
    /** The scope of the request in a form. */
    scope: (form: ResourceForm) => {
      const made = scopes.get(form) ?? makeScope(form);
      scopes.set(form, made);
      return made;
    },
    /** Repeats an evaluation until it has found all rights that it asked for. */
    decided: async <T>(evaluate: () => T): Promise<T> => {
      for (;;) {
        const result = evaluate();
        if (await decisions.isComplete()) return result;
      }
    },
  };
};

export type ReviewContext = ReturnType<typeof contextOf>;
