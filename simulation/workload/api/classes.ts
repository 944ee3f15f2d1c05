/** What Pods and claims get from the classes that they name, at their creation. */
import { forbidden } from '../../../machinery/api/errors.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ClaimObject, PodObject } from '../objects.ts';

interface PriorityClass extends KubeObject {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
}

/** Of several default classes the lowest. Source: the admission plugin Priority. */
const defaultOf = (classes: readonly PriorityClass[]): PriorityClass | undefined =>
  classes.filter(({ globalDefault }) => globalDefault).sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];

/** Throws 403 for a class that does not exist, and for a priority that is not its class's. */
export const withPriority = (pod: PodObject, classes: readonly PriorityClass[]): PodObject => {
  const { priorityClassName: named, priority: given } = pod.spec ?? {};
  const refuse = (why: string) => forbidden({ group: '', plural: 'pods' }, pod.metadata.name, why);
  const found = named ? classes.find(({ metadata }) => metadata.name === named) : defaultOf(classes);
  if (named && !found) throw refuse(`no PriorityClass with name ${named} was found`);
  const priority = found?.value ?? 0;
  if (given !== undefined && given !== priority)
    throw refuse(
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  const preemptionPolicy = pod.spec?.preemptionPolicy ?? found?.preemptionPolicy ?? 'PreemptLowerPriority';
  const priorityClassName = found?.metadata.name;
  return { ...pod, spec: { ...pod.spec, ...(priorityClassName && { priorityClassName }), priority, preemptionPolicy } };
};

const isDefault = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';

/** Of several default classes the newest. Source: the admission plugin DefaultStorageClass. */
export const withStorageClass = (claim: ClaimObject, classes: readonly KubeObject[]): ClaimObject => {
  if (claim.spec?.storageClassName !== undefined) return claim;
  const [newest] = classes
    .filter(isDefault)
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1));
  return newest ? { ...claim, spec: { ...claim.spec, storageClassName: newest.metadata.name } } : claim;
};
