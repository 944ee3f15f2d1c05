import { type AnnotationChecks, positiveDuration } from '../../common/annotation-checks.ts';

/** Set on a Cluster by users. */
export const restoreDeadlineAnnotation = 'capstan.dev/restore-deadline';

export const restoreChecks: AnnotationChecks = { [restoreDeadlineAnnotation]: positiveDuration };
