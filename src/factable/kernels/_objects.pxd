"""Objects of Python classes, made without the Python code of their constructors."""


cdef extern from *:
    """
    /* A tuple of a subclass: what tuple.__new__(type, (first, second, third)) returns. */
    static PyObject *factable_named_tuple(PyObject *type, PyObject *first, PyObject *second, PyObject *third) {
        PyObject *parts = PyTuple_Pack(3, first, second, third);
        PyObject *arguments = parts ? PyTuple_Pack(1, parts) : NULL;
        PyObject *made = arguments ? PyTuple_Type.tp_new((PyTypeObject *) type, arguments, NULL) : NULL;
        Py_XDECREF(parts);
        Py_XDECREF(arguments);
        return made;
    }

    /* An object of a class without a constructor in C, its fields not yet set: object.__new__(type). */
    static PyObject *factable_without_fields(PyObject *type) {
        return ((PyTypeObject *) type)->tp_alloc((PyTypeObject *) type, 0);
    }
    """
    object without_fields "factable_without_fields" (object kind)
    object named_tuple "factable_named_tuple" (object kind, object first, object second, object third)
