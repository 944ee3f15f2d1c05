import type { KindFacts } from '../../../machinery/api/kind.ts';
import { webhookTokenId } from '../../common/webhook-token.ts';

export const secret: KindFacts = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  encrypted: true,
  resourceId: webhookTokenId,
};
