/** How often etcd is saved, and how many snapshots are kept. */
import { type AnnotationCheck, checked, type WingAnnotations } from '../common/annotation-checks.ts';
import { invalidValue } from '../common/validate.ts';
import { keepOf, mostKept, scheduleAnnotations, scheduleFault } from './snapshot-schedule/schedule.ts';

const schedule: AnnotationCheck = (field, value) => {
  const fault = scheduleFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
};
const count: AnnotationCheck = (field, value) =>
  keepOf(value) === undefined ? [invalidValue(field, value, `must be a number from 1 to ${mostKept}`)] : [];

export const capstanAnnotations: WingAnnotations = {
  Cluster: checked({ [scheduleAnnotations.schedule]: schedule, [scheduleAnnotations.keep]: count }),
};
