import type { StoreContext } from './context.ts';
import { markKey } from './items.ts';
import { steadily } from './steady.ts';

export const mark = async (
  context: StoreContext,
  name: string,
): Promise<Readonly<Record<string, number>> | undefined> => {
  const item = await steadily(context, () => context.table.get(markKey(name), { consistent: true }));
  if (!item) return undefined;
  const { pk: _, sk: __, ...positions } = item;
  return positions as Record<string, number>;
};
