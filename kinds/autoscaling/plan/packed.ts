/** Inputs as they are stored: what pods of one workload require is written once. Pure. */
import type { Inputs, Pod, PodShape, Snapshot } from './types.ts';

type PackedPod = Omit<Pod, 'shape'> & { shape: number };
export type PackedInputs = Omit<Inputs, 'snapshot'> & {
  snapshot: Omit<Snapshot, 'pods'> & { pods: PackedPod[] };
  shapes: PodShape[];
};

export const packed = ({ snapshot, ...inputs }: Inputs): PackedInputs => {
  const shapes: PodShape[] = [];
  const byText = new Map<string, number>();
  const known = new Map<PodShape, number>();
  const indexOf = (shape: PodShape): number => {
    const text = JSON.stringify(shape);
    const index = byText.get(text) ?? shapes.push(shape) - 1;
    byText.set(text, index);
    known.set(shape, index);
    return index;
  };
  const pods = snapshot.pods.map(
    ({ shape, ...pod }): PackedPod => ({ ...pod, shape: known.get(shape) ?? indexOf(shape) }),
  );
  return { ...inputs, snapshot: { ...snapshot, pods }, shapes };
};

export const unpacked = ({ snapshot, shapes, ...inputs }: PackedInputs): Inputs => ({
  ...inputs,
  snapshot: { ...snapshot, pods: snapshot.pods.map(({ shape, ...pod }) => ({ ...pod, shape: shapes[shape]! })) },
});
