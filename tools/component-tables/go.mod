module capstan.dev/component-tables

go 1.24
