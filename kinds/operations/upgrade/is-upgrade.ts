import type { ClusterOperation } from '../cluster-operation/schema.ts';

export const isUpgrade = ({ spec }: Pick<ClusterOperation, 'spec'>): boolean => spec?.type === 'upgrade';
