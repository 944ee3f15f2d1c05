import { type KubeObject, keyOf } from '../../machinery/api/object.ts';
import type { Store } from '../../machinery/store/index.ts';

/** Objects by type and key, kept up to date from the changes this process makes: it is the only writer. */
export class Mirror {
  private readonly types = new Map<string, Map<string, KubeObject>>();
  private readonly stale = new Map<string, { type: string; namespace: string; name: string }>();
  private readonly sorted = new Map<string, KubeObject[]>();
  private refreshing: Promise<void> = Promise.resolve();

  changed(type: string, namespace: string, name: string): void {
    this.stale.set(`${type} ${namespace}/${name}`, { type, namespace, name });
  }
  get isStale(): boolean {
    return this.stale.size > 0;
  }
  async load(store: Store, type: string): Promise<void> {
    const { objects } = await store.list(type);
    this.types.set(type, new Map(objects.map((object) => [keyOf(object.metadata), object])));
    this.sorted.delete(type);
  }
  /** Serialised, so that each caller sees all changes before its call. */
  refresh(store: Store): Promise<void> {
    this.refreshing = this.refreshing.catch(() => undefined).then(() => this.readStale(store));
    return this.refreshing;
  }
  private async readStale(store: Store): Promise<void> {
    for (const [id, { type, namespace, name }] of [...this.stale]) {
      this.stale.delete(id);
      const object = await store.get(type, { namespace, name }).catch((error: unknown) => {
        this.changed(type, namespace, name);
        throw error;
      });
      const objects = this.types.get(type) ?? new Map<string, KubeObject>();
      if (object) objects.set(keyOf({ namespace, name }), object);
      else objects.delete(keyOf({ namespace, name }));
      this.types.set(type, objects);
      this.sorted.delete(type);
    }
  }
  list<T extends KubeObject>(type: string): T[] {
    const known = this.sorted.get(type);
    if (known) return known as T[];
    const entries = [...(this.types.get(type) ?? new Map<string, KubeObject>())].sort(([a], [b]) => (a < b ? -1 : 1));
    const list = entries.map(([, object]) => object);
    this.sorted.set(type, list);
    return list as T[];
  }
}
