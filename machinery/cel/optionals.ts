/** CEL's macros of optional values: `optMap` and `optFlatMap`. */
import { type Environment, Optional } from '@marcbachmann/cel-js';
import { type Call, type Checker, type Context, type Evaluator, type Node, type Type, variableName } from './syntax.ts';

interface Expanded {
  receiver: Node;
  name: string;
  body: Node;
  inner?: Context;
}

/** `isFlat`: the body makes an optional itself. */
const expander =
  (isFlat: boolean) =>
  ({ args, receiver }: Call) => {
    const expanded: Expanded = { receiver, name: variableName(args[0]!), body: args[1]! };
    return {
      ...expanded,
      async: false,
      typeCheck: (checker: Checker, macro: Expanded, context: Context): Type => {
        const of = checker.check(macro.receiver, context);
        if (of.kind !== 'optional' && of.kind !== 'dyn')
          throw checker.createError(
            'optional_expected',
            `found no matching overload for a value of type '${of.name}'`,
            macro.receiver,
          );
        const value = of.kind === 'optional' ? of.valueType! : of;
        macro.inner = context.forkWithVariable(macro.name, value);
        const body = checker.check(macro.body, macro.inner);
        if (!isFlat) return checker.registry.getOptionalType(body);
        if (body.kind === 'optional') return body;
        if (body.kind === 'dyn') return checker.getType('optional');
        throw checker.createError(
          'optional_expected',
          `optFlatMap must make an optional, got '${body.name}'`,
          macro.body,
        );
      },
      evaluate: (evaluator: Evaluator, macro: Expanded, context: Context): unknown => {
        const value = evaluator.run(macro.receiver, context);
        if (!(value instanceof Optional))
          throw evaluator.createError('optional_expected', 'no such overload', macro.receiver);
        if (!value.hasValue()) return Optional.none();
        const made = evaluator.run(macro.body, macro.inner!.reuse(context).setIterValue(value.value(), evaluator));
        if (!isFlat) return Optional.of(made);
        if (made instanceof Optional) return made;
        throw evaluator.createError('optional_expected', 'no such overload', macro.body);
      },
    };
  };

export const registerOptionals = (of: Environment): Environment =>
  of
    .registerFunction('optional.optMap(ast, ast): optional<dyn>', expander(false) as never)
    .registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', expander(true) as never);
