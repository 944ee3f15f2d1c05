/** Conditions and updates of the Table port as DynamoDB expressions. */
import type { Attribute, Condition, Write } from '../../../machinery/ports.ts';
import { type AttributeValue, toValue } from './value.ts';

export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, AttributeValue>;
}

const given = (set: Record<string, Attribute | undefined>): [string, Attribute][] =>
  Object.entries(set).filter((entry): entry is [string, Attribute] => entry[1] !== undefined);

/** Names and values of one request. Every name is substituted, because many are reserved words. */
export class Expression {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, AttributeValue> = {};

  name(attribute: string): string {
    const known = this.#names.get(attribute);
    if (known) return known;
    const placeholder = `#a${this.#names.size}`;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** A comparison with an absent attribute or across types is false, as in DynamoDB. */
  condition(condition: Condition): string {
    if ('exists' in condition)
      return condition.exists ? `attribute_exists(${this.name('pk')})` : `attribute_not_exists(${this.name('pk')})`;
    if ('all' in condition) return this.#joined(condition.all, ' AND ', true);
    if ('any' in condition) return this.#joined(condition.any, ' OR ', false);
    const name = this.name(condition.attribute);
    if (!('value' in condition)) return `attribute${condition.is === 'absent' ? '_not' : ''}_exists(${name})`;
    return `${name} ${condition.is} ${this.value(toValue(condition.value))}`;
  }

  #joined(parts: readonly Condition[], by: string, ifNone: boolean): string {
    const either: Condition[] = [{ exists: true }, { exists: false }];
    if (parts.length === 0) return this.condition(ifNone ? { any: either } : { all: either });
    return parts.map((part) => `(${this.condition(part)})`).join(by);
  }

  update({
    set = {},
    add = {},
    remove = [],
  }: Pick<Extract<Write, { update: unknown }>, 'set' | 'add' | 'remove'>): string {
    const clauses = [
      this.#clause('SET', given(set), ([name, value]) => `${this.name(name)} = ${this.#given(value)}`),
      this.#clause('ADD', Object.entries(add), ([name, value]) => `${this.name(name)} ${this.#given(value)}`),
      this.#clause('REMOVE', remove, (name) => this.name(name)),
    ];
    return clauses.filter((clause) => clause !== '').join(' ');
  }

  #given(value: Attribute): string {
    return this.value(toValue(value));
  }

  #clause<T>(keyword: string, items: readonly T[], text: (item: T) => string): string {
    return items.length > 0 ? `${keyword} ${items.map(text).join(', ')}` : '';
  }

  placeholders(): Placeholders {
    return {
      ...(this.#names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries(
          [...this.#names].map(([name, placeholder]) => [placeholder, name]),
        ),
      }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}
